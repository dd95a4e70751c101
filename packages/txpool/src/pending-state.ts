import type { ChainReader } from "@cambium/chain";
import { hasExecutionLists, MAX_INT64, rulesAt } from "@cambium/config";
import { type Evm, TransactionRejected } from "@cambium/evm";
import {
  type ExecutingBlock,
  JournaledState,
  KeyedStateView,
  NativeMethodUnavailable,
  type StateCheckpoint,
  type StateReader,
} from "@cambium/state";
import type { Transaction } from "@cambium/types";
import type { BestState } from "./best-state.js";
import { TxPoolError } from "./errors.js";

/** Maximum number of executed transactions, since free bridge transactions use no gas. */
const MAX_EXECUTED = 10_000;

/** Parameters for executing pending transactions. */
export interface PendingStateOptions {
  chain: ChainReader;
  evm: Evm;
  best: BestState;
  /** Gas limit after which the remaining transactions are not executed, in gas limits of the best block. */
  maxBlocks: number;
  /** Milliseconds after which no further transaction is executed in one call; by default no limit. */
  timeBudget?: number;
}

/** A transaction that has been executed, and what preceded it. */
interface Executed {
  transaction: Transaction;
  before: StateCheckpoint;
  gasBefore: number;
}

/**
 * State after the best block and the pending transactions, each executed in a separate block; those that fail are skipped
 * (`spec/08 §8`). After a change of the pool only the transactions from the first different one on are executed.
 */
export class PendingState {
  private readonly state: JournaledState;
  private readonly block: ExecutingBlock;
  private readonly creditFee: boolean;
  private readonly gasBudget: number;
  private readonly executed: Executed[] = [];
  private gas = 0;

  /** Throws {@link TxPoolError} `STATE_NOT_EXECUTABLE`. */
  constructor(private readonly options: PendingStateOptions) {
    const { best, maxBlocks } = options;
    if (!(best.state instanceof KeyedStateView)) throw new TxPoolError({ code: "STATE_NOT_EXECUTABLE" });
    this.state = new JournaledState(best.state);
    this.block = nextBlock(options);
    this.creditFee = !hasExecutionLists(rulesAt(best.network, this.block.number));
    this.gasBudget = Number(best.gasLimit) * maxBlocks;
  }

  /**
   * The state with these transactions, which are compared by reference; those beyond a limit are left out, and executed by
   * the next call if it was the time budget. Valid until the next call.
   */
  after(transactions: readonly Transaction[]): StateReader {
    this.revertTo(this.executed.findIndex(({ transaction }, index) => transaction !== transactions[index]));
    const end = performance.now() + (this.options.timeBudget ?? Number.POSITIVE_INFINITY);
    for (const transaction of transactions.slice(this.executed.length, MAX_EXECUTED)) {
      if (this.gas >= this.gasBudget || performance.now() > end) break;
      this.execute(transaction);
    }
    return this.state;
  }

  /** Undoes the transactions from a position on; -1: none. */
  private revertTo(position: number): void {
    const first = this.executed[position];
    if (first === undefined) return;
    this.state.revertTo(first.before);
    this.gas = first.gasBefore;
    this.executed.length = position;
  }

  private execute(transaction: Transaction): void {
    const before = this.state.checkpoint();
    const gas = this.tryExecute(transaction);
    this.executed.push({ transaction, before, gasBefore: this.gas });
    this.gas += gas;
  }

  /** Gas used; 0 for a transaction that cannot be executed. */
  private tryExecute(transaction: Transaction): number {
    const { block, state, creditFee } = this;
    try {
      const run = { transaction, index: 0, block, state, gasUsedBefore: 0n, listGasLimit: MAX_INT64 };
      return this.options.evm.execute({ ...run, deletedInList: new Set(), creditFee }).gasUsed;
    } catch (error) {
      if (error instanceof TransactionRejected || error instanceof NativeMethodUnavailable) return 0;
      throw error;
    }
  }
}

/** The block in which every pending transaction is executed, without a gas limit (`spec/08 §11`, P7). */
function nextBlock({ chain, best }: PendingStateOptions): ExecutingBlock {
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
