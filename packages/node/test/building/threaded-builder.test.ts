import assert from "node:assert/strict";
import { BlockBuilder, LocalMiner, MinerError } from "@cambium/miner";
import { ThreadError, toHex } from "@cambium/primitives";
import { ManualClock } from "@cambium/test-utils/manual-clock";
import { crash, transfer, withBuilding } from "./support.js";

const isError = (Class: typeof MinerError | typeof ThreadError, code: string) => (error: unknown) =>
  error instanceof Class && error.code === code;

describe("block building in a thread", () => {
  it("builds blocks that the chain imports, on the best block and on a requested parent", async () => {
    await withBuilding(async ({ chain, pool, builder, miner }) => {
      for (let nonce = 0n; nonce < 3n; nonce++) {
        pool.transactions = ["cow", "cow1", "cow2"].map((name) => transfer(name, { nonce }));
        const { result, hash } = await miner.mine();
        assert.equal(result.kind, "imported-best");
        const { transactions } = chain.blockByHash(hash)!;
        const mined = transactions.slice(0, -1).map((transaction) => toHex(transaction.hash));
        assert.deepEqual(mined.sort(), pool.transactions.map((transaction) => toHex(transaction.hash)).sort());
      }
      const parentHash = chain.hashByNumber(1)!;
      const { header } = await builder.build({ parentHash, adjustment: 5000 });
      assert.deepEqual(header.parentHash, parentHash);
      assert(header.timestamp > BigInt(Math.floor(Date.now() / 1000) + 4000));
      assert.deepEqual((await builder.build({})).header.parentHash, chain.best().hash);
    });
  });

  it("builds the same template as in this thread", async () => {
    await withBuilding(async ({ chain, pool, builder, options }) => {
      pool.transactions = [transfer("cow"), transfer("cow", { nonce: 1n }), transfer("cow1", { gasPrice: 2n })];
      const template = await builder.build({});
      const { minimumGasPrice, ...rest } = options.data.options;
      const now = () => Number(template.header.timestamp) * 1000;
      const own = new BlockBuilder({ chain, pool, now }, { ...rest, minimumGasPrice: () => minimumGasPrice }).build();
      assert.deepEqual(template.hashForMergedMining, own.hashForMergedMining);
      assert.equal(template.target, own.target);
      assert.deepEqual(template.header.fields(), own.header.fields());
      assert.deepEqual(template.transactions.slice(0, -1), own.transactions.slice(0, -1));
      assert.deepEqual(template.transactions.at(-1)!.encoded, own.transactions.at(-1)!.encoded);
    });
  });

  it("includes uncles", async () => {
    await withBuilding(async ({ chain, pool, builder, miner }) => {
      const parentHash = chain.best().hash;
      await miner.mine();
      const onGenesis = {
        rewardAddress: builder.rewardAddress,
        build: () => builder.build({ parentHash, adjustment: 9 }),
      };
      const other = new LocalMiner({ chain, builder: onGenesis, pool }, { kind: "on-demand" });
      const { hash, result } = await other.mine();
      assert.equal(result.kind, "imported-side");
      const { uncles } = await builder.build({});
      assert.deepEqual(
        uncles.map((uncle) => toHex(uncle.hash)),
        [toHex(hash)],
      );
      await miner.mine();
      assert.equal(chain.best().header.uncleCount, 1);
    });
  });

  it("evicts transactions that cannot be in a block, and names an unknown parent", async () => {
    await withBuilding(async ({ pool, builder }) => {
      const unusable = transfer("cow", { gasLimit: 100n });
      pool.transactions = [unusable, transfer("cow1")];
      const { transactions } = await builder.build({});
      assert.equal(transactions.length, 2);
      assert.deepEqual(pool.evicted, [toHex(unusable.hash)]);
      const unknown = builder.build({ parentHash: new Uint8Array(32) });
      await assert.rejects(unknown, isError(MinerError, "UNKNOWN_PARENT"));
    });
  });

  it("cancels an abandoned build, and no other", async () => {
    await withBuilding(async ({ pool, builder, client }) => {
      pool.transactions = [transfer("cow")];
      await client.open();
      const controller = new AbortController();
      const abandoned = builder.build({}, controller.signal);
      const kept = builder.build({});
      controller.abort();
      // The build may have finished before.
      await abandoned.catch((error) => assert(isError(MinerError, "BUILD_ABANDONED")(error)));
      assert.equal((await kept).transactions.length, 2);
    });
  });

  it("continues some time after its thread failed", async () => {
    const clock = new ManualClock();
    await withBuilding(
      async ({ pool, builder, client, failures }) => {
        pool.transactions = [transfer("cow")];
        await builder.build({});
        const lost = builder.build({});
        await crash(client);
        await assert.rejects(lost, isError(ThreadError, "WORKER_FAILED"));
        assert.equal(failures.length, 1);
        assert(client.isRecovering);
        await assert.rejects(builder.build({}), isError(ThreadError, "WORKER_FAILED"));
        clock.pass(500);
        assert.equal((await builder.build({})).transactions.length, 2);
        assert(!client.isRecovering);
      },
      { clock },
    );
  });

  it("waits longer after each failure, and rejects calls when it is closed", async () => {
    const clock = new ManualClock();
    await withBuilding(
      async ({ builder, client, failures }) => {
        for (const wait of [500, 1000, 2000]) {
          await assert.rejects(builder.build({}));
          await assert.rejects(builder.build({}));
          clock.pass(wait);
        }
        assert.equal(failures.length, 3);
        await client.close();
        await assert.rejects(builder.build({}), isError(ThreadError, "WORKER_CLOSED"));
      },
      { clock, location: "/dev/null/none" },
    );
  });
});
