import assert from "node:assert/strict";
import { localBlock, openChain } from "@cambium/chain";
import { BlockPruning, ChainStore } from "@cambium/chain-store";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { toData, toQuantity } from "@cambium/primitives";
import { chainBlocks } from "@cambium/test-utils/chain-files";
import { apiOver, ask, type Service } from "./support/service.js";

const network = NETWORKS.local;
const OLDEST = 30;

describe("blocks that were dropped", () => {
  let service: Service;
  let hashes: string[];

  before(async () => {
    const blocks = await chainBlocks("contracts");
    const database = new MemoryDatabase();
    const whole = await openChain({ network, database });
    for (const block of blocks) await whole.import(localBlock(block));
    const store = new ChainStore(database, network);
    await database.write(new BlockPruning(database, store, {}).next(OLDEST));
    const chain = await openChain({ network, database });
    hashes = [0, ...blocks.map(({ number }) => number)].map((number) => toData(chain.hashByNumber(number)!));
    service = apiOver({ reader: () => chain });
  });

  /** Methods for a block, with further parameters. */
  const CALLS: Record<string, unknown[]> = {
    getBlockBy: [true],
    getHeaderBy: [],
    getBlockTransactionCountBy: [],
    getUncleCountByBlock: [],
    getUncleByBlock: ["0x0"],
    getTransactionByBlock: ["0x0"],
    getRawTransactionByBlock: ["0x0"],
  };

  const refusal = (number: number) => ({
    code: -32600,
    message: `Block ${number} is not available: the oldest block of this node is ${OLDEST}`,
  });

  it("are refused with the number of the oldest block, by number and by hash", async () => {
    for (const [name, more] of Object.entries(CALLS)) {
      const suffix = name.startsWith("getUncleByBlock") || /Transaction(By)/.test(name) ? "AndIndex" : "";
      for (const number of [1, OLDEST - 1]) {
        const byNumber = `eth_${name}Number${suffix}`;
        const byHash = `eth_${name}Hash${suffix}`;
        await assert.rejects(ask(service, byNumber, toQuantity(number), ...more), refusal(number), byNumber);
        await assert.rejects(ask(service, byHash, hashes[number], ...more), refusal(number), byHash);
        await ask(service, byNumber, toQuantity(OLDEST), ...more);
        await ask(service, byHash, hashes[OLDEST], ...more);
      }
    }
  });

  it("are refused by methods for receipts, traces and encodings", async () => {
    const old = OLDEST - 1;
    const block = toQuantity(old);
    const calls: [string, ...unknown[]][] = [
      ["eth_getBlockReceipts", block],
      ["eth_getLogs", { fromBlock: block, toBlock: "latest" }],
      ["eth_getLogs", { blockHash: hashes[old] }],
      ["eth_feeHistory", 1, block, [50]],
      ["debug_getRawBlock", hashes[old]],
      ["debug_getRawReceipts", block],
      ["debug_traceBlockByNumber", block],
      ["debug_traceBlockByHash", hashes[old]],
      ["trace_block", block],
      ["trace_filter", { fromBlock: block, toBlock: toQuantity(OLDEST) }],
      ["ots_getBlockDetails", old],
      ["ots_getBlockDetailsByHash", hashes[old]],
      ["ots_getBlockTransactions", old, 0, 5],
      ["chain_getTransactionReceiptNodesByHash", hashes[old], hashes[old]],
    ];
    for (const [name, ...params] of calls) await assert.rejects(ask(service, name, ...params), refusal(old), name);
  });

  it("keep their headers and states", async () => {
    assert.match(await ask(service, "chain_getRawBlockHeaderByNumber", "0x1"), /^0xf9/);
    assert.match(await ask(service, "chain_getRawBlockHeaderByHash", hashes[1]), /^0xf9/);
    assert.match(await ask(service, "eth_getBalance", `0x${"00".repeat(20)}`, "0x1"), /^0x/);
    assert.equal((await ask(service, "eth_getBlockByNumber", "earliest", false)).number, "0x0");
    assert.equal(await ask(service, "eth_getBlockByHash", `0x${"00".repeat(32)}`, false), null);
  });
});
