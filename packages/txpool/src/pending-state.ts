import type { ChainReader } from "@cambium/chain";
import { hasExecutionLists, MAX_INT64, rulesAt } from "@cambium/config";
import { type Evm, TransactionRejected } from "@cambium/evm";
import {
  type ExecutingBlock,
  JournaledState,
  NativeMethodUnavailable,
  type StateReader,
  TrieStateView,
  type WorldState,
} from "@cambium/state";
import type { Transaction } from "@cambium/types";
import type { BestState } from "./best-state.js";
import { TxPoolError } from "./errors.js";

/** Maximum number of executed transactions, since free bridge transactions use no gas. */
const MAX_EXECUTED = 10_000;

/** Parameters for executing pending transactions. */
export interface PendingExecution {
  chain: ChainReader;
  evm: Evm;
  best: BestState;
  /** Gas limit after which the remaining transactions are not executed, in gas limits of the best block. */
  maxBlocks: number;
}

/**
 * State after the best block and the given transactions, each executed in a separate block; those that fail are skipped
 * (`spec/08 §8`). Throws {@link TxPoolError} `STATE_NOT_EXECUTABLE`.
 */
export function executePending(transactions: readonly Transaction[], execution: PendingExecution): StateReader {
  const { best, evm, maxBlocks } = execution;
  if (!(best.state instanceof TrieStateView)) throw new TxPoolError({ code: "STATE_NOT_EXECUTABLE" });
  const state = new JournaledState(best.state);
  const block = nextBlock(execution);
  const creditFee = !hasExecutionLists(rulesAt(best.network, block.number));
  const gasBudget = Number(best.gasLimit) * maxBlocks;
  let gas = 0;
  for (const transaction of transactions.slice(0, MAX_EXECUTED)) {
    if (gas >= gasBudget) break;
    gas += tryExecute(evm, transaction, block, state, creditFee);
  }
  return state;
}

/** Gas used; 0 for a transaction that cannot be executed. */
function tryExecute(
  evm: Evm,
  transaction: Transaction,
  block: ExecutingBlock,
  state: WorldState,
  creditFee: boolean,
): number {
  try {
    const run = { transaction, index: 0, block, state, gasUsedBefore: 0n, listGasLimit: MAX_INT64 };
    return evm.execute({ ...run, deletedInList: new Set(), creditFee }).gasUsed;
  } catch (error) {
    if (error instanceof TransactionRejected || error instanceof NativeMethodUnavailable) return 0;
    throw error;
  }
}

/** The block in which every pending transaction is executed, without a gas limit (`spec/08 §11`, P7). */
function nextBlock({ chain, best }: PendingExecution): ExecutingBlock {
  const { header, hash, minimumGasPrice } = best;
  return {
    number: header.number + 1,
    timestamp: header.timestamp < MAX_INT64 ? header.timestamp + 1n : MAX_INT64,
    parentHash: hash,
    coinbase: header.coinbase,
    difficulty: header.difficulty ?? 0n,
    gasLimit: MAX_INT64,
    minimumGasPrice,
    ancestors: chain.ancestors(hash),
  };
}
