import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { localBlock, openChain, openReader } from "@cambium/chain";
import { TABLES } from "@cambium/chain-store";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { toData, toQuantity } from "@cambium/primitives";
import { chainBlocks } from "@cambium/test-utils/chain-files";
import type { Block } from "@cambium/types";
import { apiOver, ask, type Json } from "./support/service.js";

const network = NETWORKS.local;

/** Requests whose answers contain the senders of a block's transactions, or that execute them. */
function requestsFor({ number, hash, transactions }: Block): [method: string, ...params: unknown[]][] {
  const [block, height] = [toData(hash), toQuantity(number)];
  const { hash: first, sender, nonce } = transactions[0]!;
  return [
    ["eth_getBlockByNumber", height, true],
    ["eth_getBlockByHash", block, true],
    ["eth_getTransactionByHash", toData(first)],
    ["eth_getTransactionByBlockNumberAndIndex", height, "0x0"],
    ["eth_getTransactionByBlockHashAndIndex", block, "0x0"],
    ["eth_getTransactionBySenderAndNonce", toData(sender!), toQuantity(nonce)],
    ["eth_getTransactionReceipt", toData(first)],
    ["eth_getBlockReceipts", height],
    ["ots_getBlockTransactions", number, 0, 10],
    ["trace_block", height],
    ["trace_transaction", toData(first)],
    ["debug_traceBlockByNumber", height, { tracer: "callTracer" }],
  ];
}

describe("senders of old blocks", () => {
  const database = new MemoryDatabase();
  let blocks: Block[];

  before(async () => {
    const chain = await openChain({ network, database });
    for (const block of await chainBlocks("contracts")) await chain.import(localBlock(block));
    const best = chain.best().header.number;
    const all = Array.from({ length: best }, (_, i) => chain.blockByNumber(i + 1)!);
    blocks = all.filter(({ transactions }) => transactions[0]!.isSigned).slice(-5);
    assert.equal(blocks.length, 5);
  });

  /** Requests everything about each block from a reader that has read nothing before. */
  async function answers(from: MemoryDatabase): Promise<{ answers: Json[]; recovered: Record<string, number> }> {
    const all: Json[] = [];
    const recovered: Record<string, number> = {};
    for (const block of blocks) {
      for (const [method, ...params] of requestsFor(block)) {
        const service = apiOver({ reader: () => openReader({ network, database: from }) });
        const count = (kind: unknown) => {
          if (kind === "sender") recovered[method] = (recovered[method] ?? 0) + 1;
        };
        subscribe("cambium:codec-work", count);
        all.push(await ask(service, method, ...params));
        unsubscribe("cambium:codec-work", count);
      }
    }
    return { answers: all, recovered };
  }

  it("are read, not recovered, by every method", async () => {
    assert.deepEqual((await answers(database)).recovered, {});
  });

  it("are recovered if the database does not have them, with the same answers", async () => {
    const without = new MemoryDatabase(database);
    for await (const { key } of database.entries(TABLES.senders)) {
      await without.write([{ table: TABLES.senders, key, value: undefined }]);
    }
    const { answers: expected } = await answers(database);
    const { answers: actual, recovered } = await answers(without);
    assert.deepEqual(actual, expected);
    for (const [method] of requestsFor(blocks[0]!)) assert(recovered[method]! > 0, method);
  });
});
