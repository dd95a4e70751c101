import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { MinerError } from "@cambium/miner";
import { ThreadError, toHex } from "@cambium/primitives";
import { ManualClock } from "@cambium/test-utils/manual-clock";
import type { TransactionPool } from "@cambium/txpool";
import type { BuildingClient } from "../../src/building/building-client.js";
import type { BuildingSignals } from "../../src/building/building-signals.js";
import { PendingReads } from "../../src/building/pending-reads.js";
import { NodeError } from "../../src/errors.js";
import { type Building, type BuildingSettings, slowCreation, transfer, withBuilding } from "./support.js";

/** Milliseconds after which builds no longer wait, and after which a thread is replaced. */
const PATIENCE = 350;
const GRACE = 3_100;

/** Waits until a client's thread executes a transaction of the pool. */
async function untilExecuting(client: BuildingClient): Promise<void> {
  for (;;) {
    const running = Reflect.get(client, "running") as { signals: BuildingSignals } | undefined;
    if ((running?.signals.execution.transaction ?? 0) > 0) return;
    await nextTurn();
  }
}

/** Builds with a slow transaction that the thread itself does not interrupt, and one of another sender. */
async function withSlow(
  action: (building: Building & { clock: ManualClock; slow: string; other: string }) => Promise<void>,
  settings: BuildingSettings = { transactionTime: 1_000_000 },
): Promise<void> {
  const clock = new ManualClock();
  await withBuilding(
    async (building) => {
      const [slow, other] = [slowCreation("cow"), transfer("cow1")];
      building.pool.transactions = [slow, other];
      await Promise.all([building.client.open(), building.emptyClient.open()]);
      await action({ ...building, clock, slow: toHex(slow.hash), other: toHex(other.hash) });
    },
    { clock, ...settings },
  );
}

const hashes = ({ transactions }: { transactions: readonly { hash: Uint8Array }[] }) =>
  transactions.slice(0, -1).map(({ hash }) => toHex(hash));

describe("a thread that builds with a slow transaction in the pool", () => {
  it("leaves it out and reports it, once it has taken the time for one", async () => {
    await withSlow(
      async ({ pool, builder, failures, slow, other }) => {
        assert.deepEqual(hashes(await builder.build({})), [other]);
        assert.deepEqual([pool.evicted, pool.reasons], [[slow], ["slow"]]);
        assert.deepEqual(failures, []);
      },
      { transactionTime: 1 },
    );
  });

  it("puts it into a block that is built of it and no others", async () => {
    await withSlow(
      async ({ chain, pool, builder, miner, slow }) => {
        const transactions = pool.transactions.slice(0, 1);
        const own = { rewardAddress: builder.rewardAddress, build: () => builder.build({ transactions }) };
        Reflect.get(miner, "parts").builder = own;
        const { hash, result } = await miner.mine();
        assert.equal(result.kind, "imported-best");
        assert.deepEqual(hashes(chain.blockByHash(hash)!), [slow]);
        assert.deepEqual(pool.evicted, []);
      },
      { transactionTime: 1 },
    );
  });

  it("is not waited for: the template is then one without transactions", async () => {
    await withSlow(async ({ client, builder, clock, lateAnswers, slow, other }) => {
      const building = builder.build({});
      await untilExecuting(client);
      clock.pass(PATIENCE);
      assert.deepEqual(hashes(await building), []);
      while (lateAnswers.count === 0) await nextTurn();
      assert.deepEqual(hashes(await builder.build({})).sort(), [slow, other].sort());
    });
  });

  it("is not waited for either when the build is aborted", async () => {
    await withSlow(async ({ client, builder }) => {
      const controller = new AbortController();
      const building = builder.build({}, controller.signal);
      await untilExecuting(client);
      controller.abort();
      await assert.rejects(building, (error) => error instanceof MinerError && error.code === "BUILD_ABANDONED");
    });
  });

  it("is replaced if it does not end the execution, and the transaction is reported", async () => {
    await withSlow(async ({ client, builder, pool, failures, clock, slow, other }) => {
      const building = builder.build({});
      await untilExecuting(client);
      clock.pass(GRACE);
      assert.deepEqual([pool.evicted, pool.reasons], [[slow], ["slow"]]);
      assert.deepEqual(hashes(await building), []);
      assert(failures.every((error) => error instanceof NodeError && error.code === "THREAD_STUCK"));
      assert.equal(failures.length, 1);
      assert(!client.isRecovering);
      assert.deepEqual(hashes(await builder.build({})), [other]);
    });
  });
});

describe("reads at pending with a slow transaction in the pool", () => {
  const RECEIVER = new Uint8Array(20).fill(7);
  const withReads = (settings: BuildingSettings, action: Parameters<typeof withSlow>[0]) => withSlow(action, settings);
  const readsOf = ({ chain, pool, options }: Building) =>
    new PendingReads({ chain, pool: pool as unknown as TransactionPool, client: options });

  it("leave it out and report it", async () => {
    await withReads({ transactionTime: 1 }, async (building) => {
      const reads = readsOf(building);
      assert.equal(await reads.getBalance(RECEIVER), 1n);
      assert.deepEqual(building.pool.evicted, [building.slow]);
      assert.deepEqual(hashes((await reads.block()).block), [building.other]);
      await reads.close();
    });
  });

  it("are repeated without it by another thread, if the first one does not end its execution", async () => {
    await withReads({ transactionTime: 1_000_000 }, async (building) => {
      const reads = readsOf(building);
      const all = Promise.all([reads.getBalance(RECEIVER), reads.block()]);
      await untilExecuting(Reflect.get(reads, "client") as BuildingClient);
      building.clock.pass(GRACE);
      const [balance, { block }] = await all;
      assert.equal(balance, 1n);
      assert.deepEqual(hashes(block), [building.other]);
      assert.deepEqual(building.pool.evicted, [building.slow]);
      assert.equal(building.failures.length, 1);
      await reads.close();
    });
  });

  it("do not keep the node from stopping, if their thread does not end an execution", async () => {
    await withReads({ transactionTime: 1_000_000 }, async (building) => {
      const reads = readsOf(building);
      const reading = reads.block();
      const isClosed = (error: unknown) => error instanceof ThreadError && error.code === "WORKER_CLOSED";
      const rejected = assert.rejects(reading, isClosed);
      await untilExecuting(Reflect.get(reads, "client") as BuildingClient);
      const closing = reads.close();
      building.clock.pass(GRACE);
      await Promise.all([rejected, closing]);
      assert.deepEqual([building.failures, building.pool.evicted], [[], []]);
    });
  });
});
