import assert from "node:assert/strict";
import { openChain } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { JournaledState } from "@cambium/state";
import type { Transaction } from "@cambium/types";
import { BuildingService } from "../../src/building/building-service.js";
import { PoolMirrorSender } from "../../src/building/pool-mirror.js";
import { transfer } from "./support.js";

/** Number of checkpoints that an action takes: each transaction needs some. */
function checkpointsOf(action: () => void): number {
  const original = JournaledState.prototype.checkpoint;
  let count = 0;
  JournaledState.prototype.checkpoint = function (this: JournaledState) {
    count++;
    return original.call(this);
  };
  try {
    action();
    return count;
  } finally {
    JournaledState.prototype.checkpoint = original;
  }
}

describe("the thread that builds the pending block", () => {
  it("executes only what is new after a change of the pool", async () => {
    const network = NETWORKS.local;
    const chain = await openChain({ network, database: new MemoryDatabase() });
    const options = { rewardAddress: new Uint8Array(20), identity: "TEST", minimumGasPrice: 0n, timeBudget: 60_000 };
    let now = 0;
    const service = new BuildingService(chain, { options, abandoned: new Int32Array(1) }, () => now);
    const mirror = new PoolMirrorSender();
    const parentHash = chain.best().hash;
    const next = { adjustment: 0, chosen: {} };
    const build = (ordered: readonly Transaction[]) =>
      service.pendingBlock({ parentHash, next, pool: mirror.update(ordered) });
    const all = Array.from({ length: 10 }, (_, nonce) => transfer("cow", { nonce: BigInt(nonce) }));
    // The first block also asks the bridge for its event.
    build([]);
    const empty = checkpointsOf(() => build([]));
    const first = checkpointsOf(() => assert.equal(build(all.slice(0, 8)).transactions.length, 8));
    const second = checkpointsOf(() => assert.equal(build(all).transactions.length, 10));
    assert.equal((second - empty) * 4, first - empty);
    now = 9999;
    const third = checkpointsOf(() => assert.equal(build(all.slice(0, 1)).transactions.length, 1));
    assert.equal(third, empty);
    // The block then gets a new timestamp.
    now = 10_000;
    const fourth = checkpointsOf(() => assert.equal(build(all.slice(0, 8)).transactions.length, 8));
    assert.equal(fourth, first);
  });
});
