import assert from "node:assert/strict";
import type { ChainEvent } from "@cambium/chain";
import { LocalMiner, type LocalMiningMode, MinerServer, TimeAdjustment } from "../src/index.js";
import { addressOf, bench, codeOf, ManualTimers, NOW, signed } from "./support.js";

async function local(mode: LocalMiningMode) {
  const made = await bench();
  const timers = new ManualTimers();
  const errors: unknown[] = [];
  const adjustment = new TimeAdjustment();
  const onMiningError = (error: unknown) => void errors.push(error);
  made.chain.on(() => made.pool.settle(made.chain));
  const miner = new LocalMiner({ ...made, timers, adjustment, onMiningError }, mode);
  return { ...made, miner, timers, errors, adjustment };
}

const height = ({ chain }: Awaited<ReturnType<typeof local>>) => chain.best().header.number;

describe("local miner", () => {
  it("mines on demand, whether or not it is started", async () => {
    const made = await local({ kind: "on-demand" });
    assert.equal(made.miner.isMining, false);
    const { result, number, hash } = await made.miner.mine();
    assert.equal(result.kind, "imported-best");
    assert.equal(number, 1);
    assert.deepEqual(made.chain.best().hash, hash);
    made.pool.transactions = [signed("cow")];
    made.miner.transactionsChanged();
    await made.miner.idle();
    assert.equal(height(made), 1);
    await Promise.all([made.miner.mine(), made.miner.mine()]);
    assert.equal(height(made), 3);
    assert.equal(made.chain.stateAfter(made.chain.best().hash)!.getNonce(addressOf("cow")), 1n);
  });

  it("mines a block for each transaction, and no empty blocks", async () => {
    const made = await local({ kind: "automatic" });
    made.miner.startMining();
    assert(made.miner.isMining);
    await made.miner.idle();
    assert.equal(height(made), 0);
    for (let nonce = 0n; nonce < 3n; nonce++) {
      made.pool.transactions.push(signed("cow", { nonce }));
      made.miner.transactionsChanged();
      made.miner.transactionsChanged();
      await made.miner.idle();
    }
    assert.equal(height(made), 3);
    made.miner.stopMining();
    made.pool.transactions.push(signed("cow", { nonce: 3n }));
    made.miner.transactionsChanged();
    await made.miner.idle();
    assert.equal(height(made), 3);
    made.miner.startMining();
    await made.miner.idle();
    assert.equal(height(made), 4);
  });

  it("mines at intervals, one block at a time", async () => {
    const made = await local({ kind: "interval", interval: 1000 });
    made.miner.startMining();
    made.miner.startMining();
    assert.equal(made.timers.count, 1);
    made.timers.run("repeated");
    made.timers.run("repeated");
    await made.miner.idle();
    assert.equal(height(made), 1);
    await new Promise((resolve) => setImmediate(resolve));
    made.timers.run("repeated");
    await made.miner.idle();
    assert.equal(height(made), 2);
    made.miner.stopMining();
    assert.equal(made.timers.count, 0);
  });

  it("reports blocks that it could not mine", async () => {
    const made = await local({ kind: "automatic" });
    made.chain.import = async () => ({ kind: "missing-parent" });
    made.pool.transactions = [signed("cow")];
    made.miner.startMining();
    await made.miner.idle();
    assert.equal(made.errors.length, 1);
    assert.equal(await codeOf(() => made.miner.mine()), "NOT_MINED");
  });

  it("shifts the clock of the next block only, even if other templates are built before", async () => {
    const made = await local({ kind: "on-demand" });
    const server = new MinerServer({ ...made, now: () => NOW * 1000 });
    await server.start();
    assert.equal(made.miner.increaseTime(100), 100);
    assert.equal(made.miner.increaseTime(-5), 100);
    assert.equal(made.miner.increaseTime(50), 150);
    assert.equal((await made.miner.mine()).number, 1);
    assert.equal(made.chain.best().header.timestamp, BigInt(NOW + 150));
    assert.equal(made.miner.increaseTime(0), 0);
    await made.miner.mine();
    assert.equal(made.chain.best().header.timestamp, BigInt(NOW + 151));
    server.stop();
  });
});

describe("a block", () => {
  it("counts as mined if another node has mined it in the same second", async () => {
    const made = await local({ kind: "on-demand" });
    const { miner, chain } = made;
    const known = await miner.mine();
    const importing = chain.import.bind(chain);
    chain.import = async (input) => {
      await importing(input);
      return importing(input);
    };
    const { hash } = await miner.mine();
    assert.notDeepEqual(hash, known.hash);
    assert.deepEqual(chain.best().hash, hash);
  });
});

describe("snapshots", () => {
  it("count from one, and are discarded after a revert to an earlier one", async () => {
    const made = await local({ kind: "on-demand" });
    const { miner } = made;
    assert.equal(miner.snapshot(), 1);
    await miner.mine();
    assert.equal(miner.snapshot(), 2);
    await miner.mine();
    assert.equal(await miner.revert(0), false);
    assert.equal(await miner.revert(3), false);
    assert.equal(await miner.revert(2), true);
    assert.equal(height(made), 1);
    assert.equal(await miner.revert(2), false);
    assert.equal(await miner.revert(1, true), true);
    assert.equal(height(made), 0);
    assert.equal(await miner.revert(1, true), true);
    assert.equal(miner.snapshot(), 2);
    assert.equal(await miner.revert(1), true);
    assert.equal(await miner.revert(1), false);
  });

  it("restore state and blocks, clear the pool, and mining continues", async () => {
    const made = await local({ kind: "on-demand" });
    const { miner, chain, pool } = made;
    await miner.mine();
    const kept = chain.best().hash;
    const id = miner.snapshot();
    pool.transactions = [signed("cow")];
    const { hash: lost } = await miner.mine();
    pool.transactions = [signed("cow", { nonce: 1n })];
    const events: ChainEvent[] = [];
    chain.on((event) => void events.push(event));
    assert.equal(await miner.revert(id), true);
    assert.deepEqual(chain.best().hash, kept);
    assert.equal(chain.blockByHash(lost), undefined);
    assert.equal(chain.findTransaction(signed("cow").hash), undefined);
    assert.deepEqual(pool.transactions, []);
    assert.equal(events.length, 1);
    assert(events[0]!.kind === "reorg");
    assert.deepEqual(events[0]!.reorganisation, { commonAncestor: kept, removed: [lost], added: [] });
    assert.equal(chain.stateAfter(chain.best().hash)!.getNonce(addressOf("cow")), 0n);
    pool.transactions = [signed("cow")];
    await miner.mine();
    assert.equal(chain.stateAfter(chain.best().hash)!.getNonce(addressOf("cow")), 1n);
  });

  it("reset to genesis", async () => {
    const made = await local({ kind: "on-demand" });
    made.miner.snapshot();
    for (let i = 0; i < 4; i++) await made.miner.mine();
    await made.miner.reset();
    assert.equal(height(made), 0);
    assert.equal(made.miner.snapshot(), 1);
    await made.miner.reset();
    await made.miner.mine();
    assert.equal(height(made), 1);
  });

  it("do not restore deleted uncles", async () => {
    const made = await local({ kind: "on-demand" });
    const id = made.miner.snapshot();
    await made.miner.mine();
    await made.miner.mine();
    await made.miner.revert(id);
    await made.miner.mine();
    assert.equal(made.builder.build().uncles.length, 0);
  });
});
