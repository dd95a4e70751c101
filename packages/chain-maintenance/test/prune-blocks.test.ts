import assert from "node:assert/strict";
import { type Chain, localBlock, openChain } from "@cambium/chain";
import { ChainError, TABLES } from "@cambium/chain-store";
import { MemoryDatabase } from "@cambium/database";
import { concatBytes, EMPTY_BYTES, fromHex, keccak256, utf8 } from "@cambium/primitives";
import { chainBlocks } from "@cambium/test-utils/chain-files";
import { FailingDatabase } from "@cambium/test-utils/failing-database";
import { Mine, NOW, network } from "@cambium/test-utils/mined-chains";
import { type Block, signTransaction } from "@cambium/types";
import { checkDatabase, pruneBlocks, rebuildChain } from "../src/index.js";

const BLOCKS = 600;
const LOGGED = 7;
const blockHistory = { blocks: 70, minBlocks: 4, uncleBlocks: 20 };
const OLDEST = BLOCKS - blockHistory.blocks;
/** Emits a log without topics; deployed by the first transaction. */
const LOGGER = fromHex("60058060093d393df360006000a0");

describe("dropping old blocks", () => {
  const whole = new MemoryDatabase();
  const blocks: Block[] = [];
  let logger: Uint8Array;

  before(async () => {
    const chain = await openChain({ network, database: whole, now: () => NOW });
    const mine = new Mine(chain);
    const send = (nonce: bigint, to: Uint8Array, data: Uint8Array) =>
      mine.transactions.push(
        signTransaction({ nonce, gasPrice: 1n, gasLimit: 100_000n, to, data }, keccak256(utf8("cow"))),
      );
    send(0n, EMPTY_BYTES, LOGGER);
    logger = keccak256(concatBytes(fromHex("d694"), mine.transactions[0]!.sender!, fromHex("80"))).slice(12);
    for (let number = 1; number <= BLOCKS; number++) {
      if (number > 1 && number % LOGGED === 0) send(BigInt(number / LOGGED), logger, EMPTY_BYTES);
      blocks.push(await mine.block());
    }
    await chain.close();
  });

  async function copy(): Promise<MemoryDatabase> {
    const database = new MemoryDatabase();
    for (const table of Object.values(TABLES)) {
      for await (const { key, value } of whole.entries(table)) await database.write([{ table, key, value }]);
    }
    return database;
  }

  async function pruned(): Promise<MemoryDatabase> {
    const database = await copy();
    assert.equal(await pruneBlocks({ network, database, blockHistory }), OLDEST);
    return database;
  }

  function isPruned(error: unknown, number: number): boolean {
    assert(error instanceof ChainError);
    assert.deepEqual(error.details, { code: "BLOCK_PRUNED", number, oldest: OLDEST });
    return true;
  }

  async function assertOnlyLatest(chain: Chain): Promise<void> {
    assert.equal(chain.earliestBlock(), OLDEST);
    for (const { number, hash, header, transactions } of blocks) {
      assert.deepEqual(chain.headerByHash(hash)?.hash, header.hash);
      assert.deepEqual(chain.hashByNumber(number), hash);
      const isKept = number >= OLDEST;
      for (const transaction of transactions) {
        assert.equal(chain.findTransaction(transaction.hash) !== undefined, isKept);
      }
      if (isKept) {
        assert.deepEqual(chain.blockByHash(hash)?.hash, hash);
        assert.equal(chain.receipts(hash)?.length, transactions.length);
        continue;
      }
      assert.throws(
        () => chain.blockByHash(hash),
        (error) => isPruned(error, number),
      );
      assert.throws(
        () => chain.blockByNumber(number),
        (error) => isPruned(error, number),
      );
      assert.throws(
        () => chain.receipts(hash),
        (error) => isPruned(error, number),
      );
      assert.equal(chain.encodedBlock(hash), undefined);
      assert.equal(chain.encodedBody(hash), undefined);
    }
    const query = { toBlock: BLOCKS, addresses: [logger] };
    const found = [...chain.logs({ ...query, fromBlock: OLDEST })].map(({ blockNumber }) => blockNumber);
    const expected = blocks.map(({ number }) => number).filter((number) => number >= OLDEST && number % LOGGED === 0);
    assert.deepEqual(found, expected);
    assert.throws(
      () => [...chain.logs({ ...query, fromBlock: 0 })],
      (error) => isPruned(error, 1),
    );
  }

  it("leaves headers, and the latest blocks with their receipts and index entries", async () => {
    const database = await pruned();
    await assertOnlyLatest(await openChain({ network, database }));
    assert.deepEqual((await checkDatabase(database, network, { deep: true })).problems, []);
    for (const table of [TABLES.transactions, TABLES.receipts]) {
      assert.equal(await count(database, table), BLOCKS - OLDEST + 2);
    }
    const signed = blocks.filter(({ transactions }) => transactions.some(({ isSigned }) => isSigned));
    const kept = signed.filter(({ number }) => number >= OLDEST);
    assert(kept.length > 0);
    assert.equal(await count(database, TABLES.senders), kept.length);
  });

  it("leaves nothing in the index of logs below the oldest block", async () => {
    const database = await pruned();
    const bits = (bitmap: Uint8Array) => [...Array(256).keys()].filter((i) => (bitmap[i >> 3]! >> (i & 7)) & 1);
    const chunk = Math.floor(OLDEST / 256);
    // The last chunk is not complete: it is not stored.
    assert.equal(Math.floor(BLOCKS / 256), chunk);
    assert.deepEqual([await count(database, TABLES.logChunks), await count(database, TABLES.logSpans)], [0, 0]);
    const partly = await copy();
    await pruneBlocks({ network, database: partly, blockHistory: { ...blockHistory, blocks: BLOCKS - 300 } });
    for await (const { value } of partly.entries(TABLES.logSpans)) assert.deepEqual(bits(value), [1]);
    for await (const { value } of partly.entries(TABLES.logChunks))
      assert(bits(value).every((bit) => bit >= 300 - 256));
  });

  it("can be interrupted by a failure after any batch, and continued", async () => {
    for (let batches = 0; ; batches++) {
      const database = await copy();
      const failing = new FailingDatabase(database, batches);
      const outcome = await pruneBlocks({ network, database: failing, blockHistory }).catch(() => undefined);
      if (outcome !== undefined) break;
      assert.deepEqual((await checkDatabase(database, network)).problems, []);
      assert.equal(await pruneBlocks({ network, database, blockHistory }), OLDEST);
      await assertOnlyLatest(await openChain({ network, database }));
      assert(batches < 10);
    }
  });

  it("keeps what the next blocks need", async () => {
    const database = await pruned();
    const chain = await openChain({ network, database, now: () => NOW });
    const other = await openChain({ network, database: await copy(), now: () => NOW });
    const mine = new Mine(other);
    for (let i = 0; i < 30; i++) {
      const { kind } = await chain.import(localBlock(await mine.block()));
      assert.equal(kind, "imported-best");
    }
  });

  it("keeps the uncles of some blocks below the oldest one, for contracts", async () => {
    const known = await chainBlocks("uncles-and-reorgs");
    const database = new MemoryDatabase();
    const chain = await openChain({ network, database });
    for (const block of known) await chain.import(localBlock(block));
    const { header: best } = chain.best();
    const expected = Array.from({ length: best.number }, (_, i) => chain.blockByNumber(i + 1)!);
    const oldest = best.number - 10;
    await pruneBlocks({ network, database, blockHistory: { blocks: 10, minBlocks: 4, uncleBlocks: 8 } });
    assert.deepEqual((await checkDatabase(database, network, { deep: true })).problems, []);
    const branch = (await openChain({ network, database })).ancestors(best.hash);
    assert(expected.some(({ number, uncles }) => number < oldest - 8 && uncles.length > 0));
    assert(expected.some(({ number, uncles }) => number >= oldest - 8 && number < oldest && uncles.length > 0));
    for (const { number, uncles } of expected) {
      const read = () => branch.uncles(number)?.map(({ hash }) => hash);
      const hashes = uncles.map(({ hash }) => hash);
      if (number >= oldest - 8 || uncles.length === 0) assert.deepEqual(read(), hashes);
      else assert.throws(read, (error) => error instanceof ChainError && error.code === "BLOCK_PRUNED");
    }
  });

  it("drops nothing if all blocks are to be kept", async () => {
    const database = await copy();
    assert.equal(await pruneBlocks({ network, database, blockHistory: {} }), 1);
    assert.equal((await openChain({ network, database })).earliestBlock(), 0);
  });

  it("is done before a repair, which finds the rest", async () => {
    const database = await pruned();
    const last = blocks.at(-1)!;
    await database.write([{ table: TABLES.receipts, key: last.hash, value: undefined }]);
    await rebuildChain(database, { network, now: () => NOW });
    assert.deepEqual((await checkDatabase(database, network, { deep: true })).problems, []);
    const chain = await openChain({ network, database });
    assert.deepEqual(chain.best().hash, last.hash);
    await assertOnlyLatest(chain);
  });
});

async function count(database: MemoryDatabase, table: number): Promise<number> {
  let entries = 0;
  for await (const _ of database.entries(table)) entries++;
  return entries;
}
