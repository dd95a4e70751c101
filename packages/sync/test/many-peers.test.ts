import assert from "node:assert/strict";
import type { Chain } from "@cambium/chain";
import type { BlockBody } from "@cambium/networking";
import { emptyChain, thousand } from "@cambium/test-utils/mined-chains";
import { TurningClock } from "@cambium/test-utils/turning-clock";
import { bench, stopAll } from "./engine-support.js";
import { type Answers, HonestAnswers } from "./fake-network.js";

/** Milliseconds that a deployed peer takes for a body at its rate. */
const PER_BODY = 1000 / 12;
const MANY = 12;

/** Tests with a clock that stands still while blocks are imported. */
describe("synchronisation from many throttled peers", () => {
  let chain: Chain;
  let one: number;

  before(async () => {
    chain = await thousand();
    one = await timeFrom(1);
  });

  afterEach(stopAll);

  /** Returns the milliseconds between the imports of block 100 and of block 800, from honest peers and another one. */
  async function timeFrom(honest: number, other?: (clock: TurningClock) => Partial<Answers>): Promise<number> {
    const clock = new TurningClock();
    const copy = await emptyChain();
    const { network, engine, reaches } = bench(copy, {}, clock);
    if (other !== undefined) network.add("other", chain, other(clock));
    for (let i = 0; i < honest; i++) network.add(`honest ${i}`, chain, throttled(chain, clock, PER_BODY));
    const times = new Map<number, number>();
    copy.on(() => times.set(copy.best().header.number, clock.now()));
    engine.start();
    await reaches(chain);
    await engine.stop();
    return times.get(800)! - times.get(100)!;
  }

  function assertManyTimesFaster(many: number): void {
    assert(one / many >= MANY - 1, `${one} ms from one peer, ${many} ms from ${MANY}`);
  }

  it("is as many times faster", async () => {
    assertManyTimesFaster(await timeFrom(MANY));
  });

  it("asks one peer once for each body, and for 192 headers at a time", async () => {
    const { network, engine, reaches } = bench(await emptyChain());
    network.add("peer", chain);
    engine.start();
    await reaches(chain);
    const items = (kind: keyof Answers) =>
      network.requests.filter((one) => one.kind === kind).map(({ count }) => count);
    assert.equal(
      items("bodies").reduce((sum, count) => sum + count, 0),
      1000,
    );
    assert.deepEqual(items("headers"), [192, 192, 192, 192, 192, 40]);
    assert.deepEqual(items("skeleton"), [1]);
    assert.deepEqual(items("hashes"), [1]);
  });

  it("loses nothing by a slow one", async () => {
    assertManyTimesFaster(await timeFrom(MANY, (clock) => throttled(chain, clock, 50 * PER_BODY)));
  });

  it("loses nothing by a silent one", async () => {
    assertManyTimesFaster(await timeFrom(MANY, () => ({ bodies: silent })));
  });

  it("loses nothing by one that sends wrong bodies", async () => {
    const honest = new HonestAnswers(chain);
    async function* bodies(hashes: readonly Uint8Array[]) {
      for (const hash of hashes) yield { ...honest.body(hash)!, transactions: [] };
    }
    assertManyTimesFaster(await timeFrom(MANY, () => ({ bodies })));
  });
});

/** Sends the bodies of a peer one after the other. */
function throttled(chain: Chain, clock: TurningClock, perBody: number): Partial<Answers> {
  const honest = new HonestAnswers(chain);
  let freeAt = 0;
  return {
    async *bodies(hashes) {
      for (const hash of hashes) {
        freeAt = Math.max(freeAt, clock.now()) + perBody;
        await new Promise<void>((resolve) => clock.after(freeAt - clock.now(), resolve));
        yield honest.body(hash);
      }
    },
  };
}

async function* silent(): AsyncGenerator<BlockBody> {
  await new Promise(() => undefined);
}
