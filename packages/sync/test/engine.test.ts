import assert from "node:assert/strict";
import { type BlockInput, type Chain, createChainEvm, localBlock, openChain } from "@cambium/chain";
import { type Database, MemoryDatabase } from "@cambium/database";
import { network as chainNetwork, copyOf, emptyChain, Mine, NOW, thousand } from "@cambium/test-utils/mined-chains";
import { UNLIMITED } from "@cambium/test-utils/peers/peer-capabilities";
import { settled, TurningClock } from "@cambium/test-utils/turning-clock";
import { TransactionPool } from "@cambium/txpool";
import type { SyncChain } from "../src/index.js";
import { bench, eventually, stopAll } from "./engine-support.js";
import { signed } from "./gossip/support.js";

describe("synchronisation", () => {
  afterEach(stopAll);

  for (const height of [1, 30, 200, 1000]) {
    it(`brings a new node to block ${height}`, async () => {
      const other = await copyOf(await thousand(), height);
      const { network, engine, reaches } = bench(await emptyChain());
      network.add("honest", other);
      engine.start();
      await reaches(other);
      assert.deepEqual(network.reports, []);
      assert(network.mostUnderWay <= 2);
    });
  }

  it("takes bodies and headers from several peers", async () => {
    const other = await thousand();
    const { network, engine, reaches } = bench(await emptyChain());
    for (const id of ["a", "b", "c"]) network.add(id, other);
    engine.start();
    await reaches(other);
    for (const kind of ["headers", "bodies"] as const) {
      const asked = new Set(network.requests.filter((request) => request.kind === kind).map(({ peer }) => peer));
      assert.deepEqual([...asked].sort(), ["a", "b", "c"], kind);
    }
    assert.deepEqual(network.reports, []);
  });

  it("starts when a peer with more work connects, and again when it gets more", async () => {
    const long = await thousand();
    const other = await copyOf(long, 40);
    const { network, engine, reaches } = bench(await emptyChain());
    engine.start();
    assert.equal(engine.progress().phase, "waiting");
    network.add("honest", other);
    await reaches(other);
    await eventually(() => engine.progress().phase === "following");
    for (let number = 41; number <= 45; number++) await other.import(localBlock(long.blockByNumber(number)!));
    network.refresh("honest", other);
    await reaches(other);
  });

  it("switches to a chain with more work, however deep the fork", async () => {
    for (const depth of [10, 30, 150]) {
      const common = await copyOf(await thousand(), 200 - depth);
      const mine = await copyOf(common, common.best().header.number);
      await new Mine(mine, "b").blocks(depth);
      const other = await copyOf(common, common.best().header.number);
      await new Mine(other).blocks(depth + 3);
      const { network, engine, reaches } = bench(mine);
      network.add("honest", other);
      engine.start();
      await reaches(other);
      assert.deepEqual(network.reports, []);
      await engine.stop();
    }
  });

  it("stays on the chain with more work when a peer only claims less", async () => {
    const mine = await copyOf(await thousand(), 50);
    const { network, engine } = bench(mine);
    network.add("behind", await copyOf(mine, 40));
    engine.start();
    await settled();
    assert.deepEqual(network.requests, []);
    assert.equal(engine.progress().phase, "following");
  });

  it("notifies of a long synchronisation only", async () => {
    const other = await thousand();
    const chain = await emptyChain();
    const { network, engine, reaches } = bench(slow(chain, 1));
    const received: unknown[] = [];
    engine.onChange((status) => received.push(status));
    network.add("honest", other);
    engine.start();
    await eventually(() => engine.status() !== false);
    assert(engine.isFarBehind());
    const { phase, target, current, peers } = engine.progress();
    assert.deepEqual({ phase, target, peers }, { phase: "bodies", target: 1000, peers: 1 });
    assert(current < 1000);
    await reaches(other);
    await eventually(() => engine.status() === false);
    assert.deepEqual(received, [{ startingBlock: 0, currentBlock: 0, highestBlock: 1000 }, false]);
    assert(!engine.isFarBehind());
  });

  for (const height of [20, 400]) {
    it(`keeps local transactions while it downloads ${height} blocks, however little time that takes`, async () => {
      const other = await copyOf(await thousand(), height);
      const chain = await emptyChain();
      const { network, engine, reaches } = bench(chain);
      const isCatchingUp = () => engine.isCatchingUp();
      const pool = new TransactionPool({ chain, evm: createChainEvm(chain.network), now: () => NOW, isCatchingUp });
      pool.add(signed("cow9", { nonce: 7n }), { local: true });
      network.add("honest", other);
      engine.start();
      await reaches(other);
      await eventually(() => !engine.isCatchingUp());
      assert.deepEqual([pool.counts().pending, pool.counts().queued], [0, 1]);
      await new Mine(chain).blocks(11);
      assert.equal(pool.counts().queued, 0, "ages again");
    });
  }

  it("does not notify of a short one", async () => {
    const other = await copyOf(await thousand(), 24);
    const { network, engine, reaches } = bench(await emptyChain());
    engine.onChange(() => assert.fail("notified"));
    network.add("honest", other);
    engine.start();
    await reaches(other);
  });

  it("holds no more blocks than the window, nor more imports than a few", async () => {
    const other = await copyOf(await thousand(), 400);
    const chain = await emptyChain();
    const held: (() => void)[] = [];
    let isHeld = true;
    const importing = async (input: BlockInput) => {
      if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
      return chain.import(input);
    };
    const window = { blocks: 60, bytes: 2 ** 30 };
    const { network, engine, reaches } = bench(over(chain, { import: importing }), { window });
    const asked = () =>
      network.requests.filter(({ kind }) => kind === "bodies").reduce((sum, { count }) => sum + count, 0);
    network.add("a", other);
    network.add("b", other);
    engine.start();
    await eventually(() => asked() === 68);
    await settled();
    assert.equal(held.length, 8, "imports in flight");
    assert.equal(asked(), 68);
    isHeld = false;
    for (const resolve of held) resolve();
    await reaches(other);
  });

  it("works with hardly any memory, one body at a time", async () => {
    const other = await copyOf(await thousand(), 100);
    const { network, engine, reaches } = bench(await emptyChain(), { window: { blocks: 1024, bytes: 1 } });
    network.add("a", other);
    engine.start();
    await reaches(other);
    const counts = network.requests.filter(({ kind }) => kind === "bodies").map(({ count }) => count);
    assert.deepEqual(new Set(counts), new Set([1]));
  });

  it("keeps imported blocks when it is stopped, and continues from there", async () => {
    const other = await thousand();
    const database: Database = new MemoryDatabase();
    const open = () => openChain({ network: chainNetwork, database, now: () => NOW });
    let last = 0;
    for (const enough of [100, 400, 1000]) {
      const chain = await open();
      assert.equal(chain.best().header.number, last);
      const { network, engine } = bench(chain);
      network.add("honest", other);
      engine.start();
      await eventually(() => chain.best().header.number >= enough);
      await engine.stop();
      last = chain.best().header.number;
      const asked = network.requests
        .filter(({ kind }) => kind === "headers")
        .reduce((sum, { count }) => sum + count, 0);
      assert(asked <= 1000 - (last - enough) + 192);
      await settled();
      assert.equal(chain.best().header.number, last, "nothing is imported after the end");
    }
  });

  it("fetches missing ancestors of a gossiped block from its sender", async () => {
    const long = await thousand();
    const chain = await copyOf(long, 100);
    const other = await copyOf(long, 110);
    const { network, engine, reaches } = bench(chain);
    // This peer has not announced its new best block yet.
    network.add("a", other, {}, { totalDifficulty: 1n, bestNumber: 100 });
    engine.start();
    engine.blockWanted("a", other.best().hash, 110);
    engine.blockWanted("a", other.best().hash, 110);
    await reaches(other);
    assert.equal(network.requests.filter(({ kind }) => kind === "headers").length, 1);
    assert.deepEqual(network.reports, []);
  });

  it("does nothing for a wanted block that is not available or too far", async () => {
    const chain = await copyOf(await thousand(), 100);
    const { network, engine } = bench(chain);
    network.add("a", chain);
    engine.start();
    engine.blockWanted("a", new Uint8Array(32), 101);
    engine.blockWanted("a", new Uint8Array(32), 5000);
    engine.blockWanted("stranger", new Uint8Array(32).fill(1), 101);
    await settled();
    assert.deepEqual(network.reports, []);
    assert(network.requests.length <= 1);
  });

  it("accepts only chains that contain the checkpoint", async () => {
    const long = await thousand();
    const other = await copyOf(long, 300);
    const wrong = await copyOf(long, 100);
    await new Mine(wrong, "b").blocks(230);
    const checkpoint = { number: 150, hash: other.hashByNumber(150)! };
    const chain = await emptyChain();
    const { network, engine, reaches } = bench(chain, { checkpoint });
    network.add("wrong", wrong);
    network.add("short", await copyOf(long, 120));
    engine.start();
    await eventually(() => network.reported("wrong").includes("INVALID_HEADER"));
    await eventually(() => network.requests.some(({ peer }) => peer === "short"));
    assert.equal(chain.best().header.number, 0);
    network.add("honest", other);
    await reaches(other);
    assert.deepEqual(network.reported("honest"), []);
    assert.deepEqual(network.reported("short"), []);
  });

  it("keeps to the rates of its peers", async () => {
    const other = await thousand();
    const small = { tokens: 100, window: 1000 };
    const headers = { tokens: 600, window: 1000 };
    const rates = { ...UNLIMITED.rates, hashes: small, skeleton: small, headers, bodies: small };
    const clock = new TurningClock();
    const { network, engine, reaches } = bench(await emptyChain(), {}, clock);
    network.add("honest", other);
    network.setRates("honest", rates);
    const start = clock.now();
    engine.start();
    await reaches(other);
    const seconds = (clock.now() - start) / 1000;
    const asked = network.requests.filter(({ kind }) => kind === "bodies").reduce((sum, { count }) => sum + count, 0);
    assert(asked <= 100 * (seconds + 1), `${asked} bodies in ${seconds} s`);
  });
});

/** The chain with some members replaced. */
function over(chain: Chain, own: Partial<SyncChain>): Chain {
  return new Proxy(chain, {
    get(target, key) {
      const value: unknown = Reflect.get(own, key) ?? Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** The chain with a slow import. */
function slow(chain: Chain, milliseconds: number): Chain {
  let turn: Promise<unknown> = Promise.resolve();
  const wait = () => new Promise((resolve) => setTimeout(resolve, milliseconds));
  return over(chain, {
    import: (input) => {
      const result = turn.then(wait).then(() => chain.import(input));
      turn = result;
      return result;
    },
  });
}
