import assert from "node:assert/strict";
import { toQuantity } from "@cambium/primitives";
import { type Dev, startDev } from "./dev-process.js";

type Json = Record<string, never> & { transactionHash: string };

/** Number of blocks after which the reward transaction pays the oldest one, and logs it. */
const BLOCKS = 25;

/** Tests comparisons that indexers make: every answer concerns transactions that the blocks show. */
describe("blocks of a development chain", () => {
  let dev: Dev;
  const shown = new Set<string>();

  const call = (method: string, ...params: unknown[]) => dev.rpc.call(method, ...params);

  before(async () => {
    dev = await startDev("--gas-price", "1");
    const [from, to] = await call("eth_accounts");
    for (let i = 0; i < BLOCKS; i++) await call("eth_sendTransaction", { from, to, gas: "0x5208", gasPrice: "0x7" });
    for (let number = 0; number <= BLOCKS; number++) {
      const { transactions } = await call("eth_getBlockByNumber", toQuantity(number));
      for (const hash of transactions) shown.add(hash);
    }
  });
  after(() => dev.stop());

  const assertShown = (found: readonly Json[]) => {
    for (const { transactionHash } of found) assert(shown.has(transactionHash), transactionHash);
  };

  it("have the transactions of their counts, receipts and traces", async () => {
    for (let number = 1; number <= BLOCKS; number++) {
      const block = toQuantity(number);
      assert.equal(await call("eth_getBlockTransactionCountByNumber", block), "0x1");
      assert.equal(await call("eth_getTransactionByBlockNumberAndIndex", block, "0x1"), null);
      const receipts = await call("eth_getBlockReceipts", block);
      assert.equal(receipts.length, 1);
      assertShown(receipts);
      assertShown(await call("trace_block", block));
      assert.equal((await call("debug_traceBlockByNumber", block)).length, 1);
    }
  });

  it("are whole when encoded, so that they have their hashes", async () => {
    const raw = await call("debug_getRawBlock", "latest");
    assert.deepEqual(await call("debug_traceBlock", raw), await call("debug_traceBlockByNumber", "latest"));
  });

  it("have the transactions that Otterscan reads", async () => {
    const { block } = await call("ots_getBlockDetails", BLOCKS);
    assert.equal(block.transactionCount, 1);
    assertShown((await call("ots_getBlockTransactions", BLOCKS, 0, 25)).receipts);
    const [from] = await call("eth_accounts");
    const sent = await call("ots_searchTransactionsBefore", from, 0, 255);
    assert.deepEqual([sent.txs.length, sent.lastPage], [BLOCKS, true]);
    assertShown(sent.receipts);
    // The reward transaction pays the miner.
    const paid = await call("ots_searchTransactionsBefore", block.miner, 0, 255);
    assert.deepEqual([paid.txs, paid.lastPage], [[], true]);
  });

  it("have the transactions of all logs and traces that are searched", async () => {
    assertShown(await call("eth_getLogs", { fromBlock: "0x0", toBlock: "latest" }));
    assertShown(await call("trace_filter", { fromBlock: "0x1", toBlock: "latest" }));
    const filter = await call("eth_newFilter", { fromBlock: "0x0" });
    await call("evm_mine");
    assert.deepEqual(await call("eth_getFilterLogs", filter), []);
    assert.deepEqual(await call("eth_getFilterChanges", filter), []);
  });
});
