import assert from "node:assert/strict";
import { local } from "@cambium/config";
import { fromHex, keccak256, toData, toHex } from "@cambium/primitives";
import { FakePool } from "@cambium/test-utils/api/fake-pool";
import { pooled } from "@cambium/test-utils/api/pooled";
import { COUNTER, LOGGER } from "@cambium/test-utils/api/real-chain";
import { Block, BlockHeader, Transaction } from "@cambium/types";
import { openOver, type RealApi } from "./support/real-api.js";
import type { Json } from "./support/service.js";

const UNKNOWN = `0x${"00".repeat(31)}ff`;
const bytes = (data: string) => fromHex(data.slice(2));

describe("raw objects and lists of receipts", () => {
  let service: RealApi;
  let block: Block;
  const waiting = pooled({ nonce: 9n }, { isPending: false });
  const call = (method: string, ...params: unknown[]): Promise<Json> => service.call(method, ...params);

  before(async () => {
    const pool = new FakePool().api({ get: (hash) => (toHex(hash) === waiting.id ? waiting : undefined) });
    service = await openOver({}, { pool });
    const { real } = service;
    const [counter, logger] = [real.deploy(COUNTER), real.deploy(LOGGER)];
    await real.mine();
    real.send({ to: counter });
    real.send({ to: logger });
    block = await real.mine();
    await real.mine();
  });

  it("encode the header to bytes with the block's hash", async () => {
    const hash = toData(block.hash);
    for (const selector of ["0x2", hash, { blockHash: hash, requireCanonical: true }]) {
      assert.equal(toData(keccak256(bytes(await call("debug_getRawHeader", selector)))), hash);
    }
    const { blockNumber } = await call("eth_getTransactionByBlockHashAndIndex", hash, "0x0");
    assert.equal(blockNumber, "0x2");
    const full = Block.decode(bytes(await call("debug_getRawBlock", hash)), local);
    assert.deepEqual(full.hash, block.hash);
    assert.deepEqual(full.header.encode("full"), BlockHeader.decode(block.header.encode("full"), local).encode("full"));
  });

  it("return the receipts of a block like those of its transactions", async () => {
    const receipts = await call("eth_getBlockReceipts", "0x2");
    assert.equal(receipts.length, 3);
    const single = block.transactions.map(({ hash }) => call("eth_getTransactionReceipt", toData(hash)));
    assert.deepEqual(receipts, await Promise.all(single));
    assert.deepEqual(receipts, await call("eth_getBlockReceipts", toData(block.hash)));
    assert.deepEqual(receipts, await call("eth_getBlockReceipts", { blockHash: toData(block.hash) }));
    const raw: string[] = await call("debug_getRawReceipts", "0x2");
    assert.equal(raw[0], await call("chain_getRawTransactionReceiptByHash", toData(block.transactions[0]!.hash)));
    assert.equal(raw.length, 3);
  });

  it("encode transactions to bytes with the transaction's hash", async () => {
    for (const [i, { hash }] of block.transactions.entries()) {
      const raw = await call("eth_getRawTransactionByHash", toData(hash));
      assert.deepEqual(keccak256(bytes(raw)), hash);
      assert.deepEqual(Transaction.decode(bytes(raw), true).hash, hash);
      assert.equal(raw, await call("debug_getRawTransaction", toData(hash)));
      assert.equal(raw, await call("eth_getRawTransactionByBlockHashAndIndex", toData(block.hash), `0x${i}`));
      assert.equal(raw, await call("eth_getRawTransactionByBlockNumberAndIndex", "0x2", `0x${i}`));
    }
    const queued = await call("eth_getRawTransactionByHash", `0x${waiting.id}`);
    assert.equal(queued, toData(waiting.transaction.encoded));
  });

  it("show when a block was mined at its transactions and logs", async () => {
    const { timestamp, transactions } = await call("eth_getBlockByNumber", "0x2", true);
    for (const transaction of transactions) assert.equal(transaction.blockTimestamp, timestamp);
    const logs = await call("eth_getLogs", { fromBlock: "0x0" });
    assert.equal(logs.length, 1);
    assert.equal(logs[0].blockTimestamp, timestamp);
    assert.deepEqual(logs, (await call("eth_getBlockReceipts", "0x2"))[1].logs);
    assert.deepEqual(logs, await call("eth_getLogs", { blockHash: toData(block.hash) }));
  });

  it("list all blocks of a number", async () => {
    assert.deepEqual(await call("eth_getBlocksByNumber", "0x2"), [
      {
        hash: toData(block.hash),
        totalDifficulty: (await call("eth_getBlockByNumber", "0x2")).totalDifficulty,
        inMainChain: true,
      },
    ]);
    assert.deepEqual(await call("eth_getBlocksByNumber", "99999999999999999999"), []);
  });

  it("are null if unknown", async () => {
    for (const method of ["debug_getRawHeader", "debug_getRawBlock", "debug_getRawReceipts", "eth_getBlockReceipts"]) {
      for (const selector of ["0x9", UNKNOWN, { blockHash: UNKNOWN, requireCanonical: true }]) {
        assert.equal(await call(method, selector), null);
      }
      await assert.rejects(call(method, "pending"), { code: -32201 });
      await assert.rejects(call(method, "0xzz"), { code: -32602 });
    }
    assert.equal(await call("eth_getRawTransactionByHash", UNKNOWN), null);
    assert.equal(await call("debug_getRawTransaction", UNKNOWN), null);
    assert.equal(await call("eth_getRawTransactionByBlockHashAndIndex", UNKNOWN, "0x0"), null);
    assert.equal(await call("eth_getRawTransactionByBlockNumberAndIndex", "0x2", "0x3"), null);
  });
});
