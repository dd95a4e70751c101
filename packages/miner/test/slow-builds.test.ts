import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { toHex } from "@cambium/primitives";
import { MinerServer } from "../src/index.js";
import type { MinerServerOptions } from "../src/server/miner-server.js";
import { SlowBuilder } from "./slow-builder.js";
import { bench, codeOf, ManualTimers, NOW, signed } from "./support.js";

async function served(options: MinerServerOptions = {}) {
  const made = await bench();
  const builder = new SlowBuilder(made.builder);
  const timers = new ManualTimers();
  const errors: unknown[] = [];
  const onBuildError = (error: unknown) => void errors.push(error);
  const server = new MinerServer({ chain: made.chain, builder, timers, now: () => NOW * 1000, onBuildError }, options);
  const finish = async () => {
    builder.builds[0]!.finish();
    await nextTurn();
  };
  return { ...made, builder, timers, errors, server, finish };
}

describe("a miner server with slow builds", () => {
  it("serves work after the first build", async () => {
    const { server, finish } = await served();
    const started = server.start();
    assert.equal(await codeOf(() => server.getWork()), "NO_WORK");
    await finish();
    await started;
    assert.equal(server.getWork().notify, true);
  });

  it("coalesces requests during a build into one", async () => {
    const { server, timers, pool, builder, finish } = await served();
    void server.start();
    await finish();
    timers.run("repeated");
    pool.transactions = [signed("cow")];
    server.transactionsChanged();
    timers.run("once");
    timers.run("repeated");
    timers.run("repeated");
    assert.equal(builder.builds.length, 1);
    await finish();
    assert.equal(builder.builds.length, 1);
    await finish();
    assert.equal(builder.builds.length, 0);
    assert.equal(builder.count, 3);
  });

  it("aborts a build on an earlier block", async () => {
    const { server, chain, mine, builder, finish } = await served();
    void server.start();
    await finish();
    const { hashForMergedMining } = server.getWork();
    await mine();
    await nextTurn();
    const [stale] = builder.builds;
    await mine();
    assert(stale!.signal!.aborted);
    await nextTurn();
    assert.equal(builder.builds.length, 1);
    await finish();
    assert.deepEqual(server.getWork().hashForMergedMining, hashForMergedMining);
    assert.deepEqual(builder.builds[0]!.request.parentHash, chain.best().hash);
    await finish();
    assert.deepEqual(server.getWork().parentBlockHash, chain.best().hash);
    assert.equal(builder.builds.length, 0);
  });

  it("is up to date when there is work on the new best block, or none could be built", async () => {
    const { server, chain, mine, builder, finish } = await served();
    void server.start();
    await finish();
    await server.upToDate();
    for (const end of ["finish", "fail"] as const) {
      await mine();
      let isUpToDate = false;
      const waiting = server.upToDate().then(() => {
        isUpToDate = true;
      });
      await nextTurn();
      assert.equal(isUpToDate, false);
      builder.builds[0]![end](new Error("no"));
      await waiting;
      assert.equal(toHex(server.getWork().parentBlockHash) === toHex(chain.best().hash), end === "finish");
    }
  });

  it("serves work without transactions on a new best block until the one with them is built", async () => {
    const { server, chain, mine, pool, builder, finish } = await served({ emptyFirst: true });
    pool.transactions = [signed("cow", { gasPrice: 155n })];
    const fees: bigint[] = [];
    server.onWork(({ feesPaidToMiner, parentBlockHash }) => {
      assert.deepEqual(parentBlockHash, chain.best().hash);
      fees.push(feesPaidToMiner);
    });
    void server.start();
    await finish();
    assert.deepEqual(builder.builds.length, 1);
    await finish();
    assert.deepEqual(fees, [0n, 21_000n * 155n]);
    await mine();
    pool.transactions = [signed("cow", { nonce: 1n, gasPrice: 155n })];
    const waiting = server.upToDate();
    await nextTurn();
    await finish();
    // A client that requests work now gets the empty work.
    await waiting;
    assert.deepEqual([server.getWork().feesPaidToMiner, server.getWork().parentBlockHash], [0n, chain.best().hash]);
    await finish();
    assert.equal(server.getWork().feesPaidToMiner, 21_000n * 155n);
    assert.deepEqual([fees.length, builder.builds.length], [4, 0]);
  });

  it("serves work without transactions once if there are none", async () => {
    const { server, builder, finish } = await served({ emptyFirst: true });
    let count = 0;
    server.onWork(() => count++);
    void server.start();
    await finish();
    await finish();
    assert.deepEqual([count, builder.builds.length], [1, 0]);
  });

  it("does not report the failure of an aborted build", async () => {
    const { server, chain, mine, builder, errors, finish } = await served();
    void server.start();
    await mine();
    builder.builds[0]!.fail(new Error("superseded"));
    await nextTurn();
    await finish();
    assert.deepEqual(errors, []);
    assert.deepEqual(server.getWork().parentBlockHash, chain.best().hash);
  });

  it("retries a failed build only without work on the best block", async () => {
    const { server, timers, builder, errors, finish } = await served();
    const started = server.start();
    builder.builds[0]!.fail(new Error("no"));
    await started;
    assert.equal(errors.length, 1);
    timers.run("once");
    await finish();
    server.getWork();
    timers.run("repeated");
    builder.builds[0]!.fail(new Error("no"));
    await nextTurn();
    assert.equal(errors.length, 2);
    assert.equal(timers.count, 1);
  });

  it("discards a build when stopped, even if restarted immediately", async () => {
    const { server, builder, finish } = await served();
    const started = server.start();
    server.stop();
    await finish();
    await started;
    assert.equal(await codeOf(() => server.getWork()), "NO_WORK");
    void server.start();
    server.stop();
    const again = server.start();
    assert(builder.builds[0]!.signal!.aborted);
    await finish();
    assert.equal(await codeOf(() => server.getWork()), "NO_WORK");
    await finish();
    await again;
    server.getWork();
  });
});
