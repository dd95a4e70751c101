import type { LogLocation } from "@cambium/chain";
import type { Block, Receipt } from "@cambium/types";

/** All logs of a block with their positions, in order; log indexes count over the whole block (`spec/09 §6.4`). */
export function* blockLogs(block: Block, receipts: readonly Receipt[]): Generator<LogLocation> {
  const { hash: blockHash, number: blockNumber } = block;
  const { timestamp: blockTimestamp } = block.header;
  let logIndex = 0;
  for (const [transactionIndex, receipt] of receipts.entries()) {
    if (receipt.logs.length === 0) continue;
    const transactionHash = block.transactions[transactionIndex]!.hash;
    for (const log of receipt.logs) {
      yield { log, blockHash, blockNumber, blockTimestamp, transactionHash, transactionIndex, logIndex };
      logIndex++;
    }
  }
}
