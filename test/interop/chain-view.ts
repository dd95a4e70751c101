import type { Json } from "@cambium/test-utils/rpc-client";
import type { InteropNode } from "./interop-node.js";

/** Values of a block on which all nodes of a network must agree. */
export interface BlockView {
  hash: string;
  stateRoot: string;
  receiptsRoot: string;
  transactions: string[];
  uncles: string[];
}

const AT_ONCE = 16;

/** The blocks of a node's best chain from `first` to its best block. */
export async function blocksFrom({ rpc }: InteropNode, first: number): Promise<BlockView[]> {
  const last = Number(await rpc.call("eth_blockNumber"));
  const numbers = Array.from({ length: last + 1 - first }, (_, i) => `0x${(first + i).toString(16)}`);
  return inParallel(numbers, async (number) => {
    const { hash, stateRoot, receiptsRoot, transactions, uncles } = await rpc.call(
      "eth_getBlockByNumber",
      number,
      false,
    );
    return { hash, stateRoot, receiptsRoot, transactions, uncles };
  });
}

/** Returns the values of receipts on which all nodes must agree; undefined for transactions that are not mined. */
export function receiptsOf({ rpc }: InteropNode, hashes: readonly string[]): Promise<Json[]> {
  return inParallel(hashes, async (hash) => {
    const receipt = await rpc.call("eth_getTransactionReceipt", hash);
    if (receipt === null) return undefined;
    const { blockHash, transactionIndex, status, gasUsed, cumulativeGasUsed, contractAddress, logsBloom } = receipt;
    const logs = receipt.logs.map(({ address, topics, data, logIndex }: Json) => ({ address, topics, data, logIndex }));
    return { blockHash, transactionIndex, status, gasUsed, cumulativeGasUsed, contractAddress, logsBloom, logs };
  });
}

async function inParallel<T, R>(items: readonly T[], use: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(use))));
  }
  return results;
}
