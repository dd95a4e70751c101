import { hasExecutionLists, headerVersionAt, type NetworkConfig, rulesAt } from "@cambium/config";
import { bigintToTwosComplement, EMPTY_BYTES } from "@cambium/primitives";
import type { ExecutingBlock } from "@cambium/state";
import {
  Block,
  BlockHeader,
  bloomOfLogs,
  EMPTY_UNCLES_HASH,
  type Receipt,
  receiptsRoot,
  type Transaction,
  transactionsRoot,
  uniteBlooms,
} from "@cambium/types";

/** Results of the calls of a simulated block. */
export interface BlockResult {
  transactions: readonly Transaction[];
  receipts: readonly Receipt[];
  gasUsed: number;
  paidFees: bigint;
}

/** Bytes of the fork-detection data of a header without mining fields (`spec/03 §5.2`). */
const FORK_DETECTION = new Uint8Array(12);

/**
 * The block of simulated calls. It has no uncles, no reward transaction, and no state root, which would take long to
 * compute.
 */
export function simulatedBlock(context: ExecutingBlock, result: BlockResult, network: NetworkConfig): Block {
  const { number, timestamp, parentHash, coinbase, difficulty, gasLimit, minimumGasPrice } = context;
  const rules = rulesAt(network, number);
  const { transactions, receipts, gasUsed, paidFees } = result;
  const header = BlockHeader.create(
    {
      parentHash,
      unclesHash: EMPTY_UNCLES_HASH,
      coinbase,
      stateRoot: new Uint8Array(32),
      transactionsRoot: transactionsRoot(transactions, rules),
      receiptsRoot: receiptsRoot(receipts, rules),
      logsBloom: uniteBlooms(receipts.map(({ logs }) => bloomOfLogs(logs))),
      difficulty,
      number,
      gasLimit: bigintToTwosComplement(gasLimit),
      gasUsed,
      timestamp,
      extraData: EMPTY_BYTES,
      paidFees,
      minimumGasPrice,
      uncleCount: 0,
      ummRoot: rules.rskipUmm ? EMPTY_BYTES : null,
      version: headerVersionAt(rules),
      executionEdges: hasExecutionLists(rules) ? [] : null,
      baseEvent: null,
      parentChainHeader: null,
      merkleProof: null,
      parentChainCoinbase: null,
    },
    network,
    FORK_DETECTION,
  );
  return new Block(header, transactions, []);
}
