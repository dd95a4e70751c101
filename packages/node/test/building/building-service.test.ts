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
async function checkpointsOf(action: () => Promise<void>): Promise<number> {
  const original = JournaledState.prototype.checkpoint;
  let count = 0;
  JournaledState.prototype.checkpoint = function (this: JournaledState) {
    count++;
    return original.call(this);
  };
  try {
    await action();
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
    const service = new BuildingService(chain, { options, now: () => now });
    const mirror = new PoolMirrorSender();
    const parentHash = chain.best().hash;
    const next = { adjustment: 0, chosen: {} };
    /** Builds with these transactions, all of which must be in the block. */
    const build = async (ordered: readonly Transaction[]) => {
      const { transactions } = await service.pendingBlock({ parentHash, next, pool: mirror.update(ordered) });
      assert.equal(transactions.length, ordered.length);
    };
    const all = Array.from({ length: 10 }, (_, nonce) => transfer("cow", { nonce: BigInt(nonce) }));
    // The first block also asks the bridge for its event.
    await build([]);
    const empty = await checkpointsOf(() => build([]));
    const first = await checkpointsOf(() => build(all.slice(0, 8)));
    const second = await checkpointsOf(() => build(all));
    assert.equal((second - empty) * 4, first - empty);
    now = 9999;
    const third = await checkpointsOf(() => build(all.slice(0, 1)));
    assert.equal(third, empty);
    // The block then gets a new timestamp.
    now = 10_000;
    const fourth = await checkpointsOf(() => build(all.slice(0, 8)));
    assert.equal(fourth, first);
  });
});
