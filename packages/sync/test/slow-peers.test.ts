import assert from "node:assert/strict";
import type { Chain } from "@cambium/chain";
import { emptyChain, thousand } from "@cambium/test-utils/mined-chains";
import { TurningClock } from "@cambium/test-utils/turning-clock";
import { bench, stopAll } from "./engine-support.js";
import { type Answers, type FakeNetwork, HonestAnswers } from "./fake-network.js";

const LOUD = { totalDifficulty: 1n << 100n };
const FAR = { ...LOUD, bestNumber: Number.MAX_SAFE_INTEGER };
const SLOW_PEERS = 12;
/** Duration of an answer in milliseconds, just below the limit of a request. */
const SLOW = 29_000;

type SlowAnswers = (honest: HonestAnswers, late: <T>(answer: T) => Promise<T>) => Partial<Answers>;

/** Each of many inbound peers claims most work and answers just in time, which is no offence. */
describe("synchronisation among many slow peers", () => {
  let chain: Chain;
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => {
    if (warning.name === "MaxListenersExceededWarning") warnings.push(warning);
  };

  before(async () => {
    chain = await thousand();
    process.on("warning", onWarning);
  });

  afterEach(async () => {
    await stopAll();
    assert.deepEqual(warnings.splice(0), []);
  });

  after(() => {
    process.off("warning", onWarning);
  });

  /** Synchronises from one honest peer among slow ones. */
  async function synchronise(answers: SlowAnswers): Promise<FakeNetwork> {
    const clock = new TurningClock(20);
    const { network, engine, reaches } = bench(await emptyChain(), {}, clock);
    const late = <T>(answer: T) => new Promise<T>((resolve) => clock.after(SLOW, () => resolve(answer)));
    for (let i = 0; i < SLOW_PEERS; i++) {
      network.add(`slow ${i}`, chain, answers(new HonestAnswers(chain), late), LOUD, "inbound");
    }
    network.add("honest", chain);
    engine.start();
    await reaches(chain);
    return network;
  }

  /** Returns the number of slow peers that received requests. */
  function asked({ requests }: FakeNetwork, kind: keyof Answers): number {
    return new Set(requests.filter((one) => one.kind === kind && one.peer !== "honest").map(({ peer }) => peer)).size;
  }

  it("tries a few of them before the peer that it has dialled", async () => {
    const network = await synchronise((_, late) => ({ hashes: async (heights) => late(heights.map(() => undefined)) }));
    assert(asked(network, "hashes") <= 3, `${asked(network, "hashes")} slow peers`);
  });

  it("asks quick peers for headers once the others were slow", async () => {
    const network = await synchronise((honest, late) => ({
      headers: async (hash) => late(await honest.headers(hash, 1)),
    }));
    assert(asked(network, "hashes") <= 2, `${asked(network, "hashes")} attempts with slow peers`);
    assert(asked(network, "skeleton") <= 6, `${asked(network, "skeleton")} slow peers`);
  });

  it("asks slow peers if there are no others", async () => {
    const { network, engine, reaches } = bench(await emptyChain(), {}, new TurningClock(20));
    const honest = new HonestAnswers(chain);
    network.add("slow", chain, { headers: async (hash, count) => honest.headers(hash, Math.min(count, 100)) });
    engine.start();
    await reaches(chain);
  });
});

describe("a peer that claims any height", () => {
  afterEach(stopAll);

  it("changes neither the target of eth_syncing nor that of the progress", async () => {
    const chain = await thousand();
    const { network, engine, reaches } = bench(await emptyChain());
    network.add("liar", chain, {}, FAR);
    network.add("honest", chain);
    const targets = new Set<number>();
    engine.onChange((status) => {
      if (status !== false) targets.add(status.highestBlock);
      targets.add(engine.progress().target);
    });
    engine.start();
    await reaches(chain);
    assert.deepEqual(targets, new Set([1000]));
  });

  it("does not prolong eth_syncing, even as one of many inbound peers", async () => {
    const chain = await thousand();
    const { network, engine, reaches } = bench(await emptyChain());
    for (const id of ["a", "b", "c"]) network.add(id, chain);
    engine.onChange((status) => {
      if (status === false) return;
      for (const id of ["liar 1", "liar 2"]) {
        network.add(id, chain, { hashes: () => new Promise(() => undefined) }, FAR, "inbound");
      }
    });
    const attempts = new Promise<number>((resolve) => {
      engine.onChange((status) => {
        const withLiars = network.requests.filter(({ peer, kind }) => kind === "hashes" && peer.startsWith("liar"));
        if (status === false) resolve(withLiars.length);
      });
    });
    engine.start();
    await reaches(chain);
    assert.equal(await attempts, 0);
  });

  it("is forgotten when it leaves", async () => {
    const chain = await thousand();
    const { network, engine, reaches } = bench(await emptyChain());
    network.add("liar", chain, {}, FAR);
    const target = new Promise<number>((resolve) => {
      engine.onChange((status) => {
        if (status === false) return;
        network.remove("liar");
        network.add("honest", chain);
        resolve(status.highestBlock);
      });
    });
    engine.start();
    assert.equal(await target, Number.MAX_SAFE_INTEGER);
    await reaches(chain);
    assert.equal(engine.progress().target, 1000);
  });
});
