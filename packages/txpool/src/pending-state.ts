import type { ChainReader } from "@cambium/chain";
import { hasExecutionLists, MAX_INT64, rulesAt } from "@cambium/config";
import { type Evm, type Overrun, type TimeLimit, TransactionRejected } from "@cambium/evm";
import {
  type ExecutingBlock,
  JournaledState,
  KeyedStateView,
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
  /** Limit of the time for one transaction in `evm`; by default there is none. */
  timeLimit?: TimeLimit | undefined;
}

/** An executed transaction, and the state before it. */
interface Executed {
  transaction: Transaction;
  before: StateCheckpoint;
  gasBefore: number;
}

/**
 * State after the best block and the pending transactions, each executed in a separate block; those that fail are
 * skipped (`spec/08 §8`). After a change of the pool only the transactions from the first different one on are
 * executed.
 */
export class PendingState {
  private readonly state: JournaledState;
  private readonly block: ExecutingBlock;
  private readonly creditFee: boolean;
  private readonly gasBudget: number;
  private readonly executed: Executed[] = [];
  private gas = 0;

  /** Creates the state. Throws {@link TxPoolError} `STATE_NOT_EXECUTABLE`. */
  constructor(private readonly options: PendingStateOptions) {
    const { best, maxBlocks } = options;
    if (!(best.state instanceof KeyedStateView)) throw new TxPoolError({ code: "STATE_NOT_EXECUTABLE" });
    this.state = new JournaledState(best.state);
    this.block = nextBlock(options);
    this.creditFee = !hasExecutionLists(rulesAt(best.network, this.block.number));
    this.gasBudget = Number(best.gasLimit) * maxBlocks;
  }

  /** The state with the transactions that were executed. Valid until the next execution. */
  get current(): StateReader {
    return this.state;
  }

  /** Returns the state with these transactions, without a time budget; see {@link execute}. */
  after(transactions: readonly Transaction[]): StateReader {
    this.execute(transactions, Number.POSITIVE_INFINITY);
    return this.state;
  }

  /**
   * Executes these transactions, which are compared by reference with those of the last call; those beyond a limit are
   * left out. After `timeBudget` milliseconds no further transaction is executed. A time limit also interrupts the
   * running transaction. Returns whether the time was sufficient. If not, the next call executes the rest.
   */
  execute(transactions: readonly Transaction[], timeBudget: number): boolean {
    this.revertTo(this.executed.findIndex(({ transaction }, index) => transaction !== transactions[index]));
    const { timeLimit } = this.options;
    const now = () => timeLimit?.now() ?? performance.now();
    const end = now() + timeBudget;
    for (const transaction of transactions.slice(this.executed.length, MAX_EXECUTED)) {
      if (this.gas >= this.gasBudget) break;
      const left = end - now();
      // One transaction may use at most half of the time.
      if (left < 0 || (!this.handle(transaction, Math.min(left, timeBudget / 2)) && now() >= end)) return false;
    }
    return true;
  }

  /** Undoes the transactions from a position on; -1: none. */
  private revertTo(position: number): void {
    const first = this.executed[position];
    if (first === undefined) return;
    this.state.revertTo(first.before);
    this.gas = first.gasBefore;
    this.executed.length = position;
  }

  /** Executes a transaction. Returns false if there was no time for it. */
  private handle(transaction: Transaction, left: number): boolean {
    const before = this.state.checkpoint();
    const gas = this.tryExecute(transaction, left);
    if (typeof gas === "string") this.state.revertTo(before);
    if (gas === "late" || gas === "abandoned") return false;
    this.executed.push({ transaction, before, gasBefore: this.gas });
    if (gas !== "slow") this.gas += gas;
    return true;
  }

  /** Returns the gas used; 0 for a transaction that cannot be executed. */
  private tryExecute(transaction: Transaction, left: number): number | Overrun {
    const { block, state, creditFee } = this;
    const { evm, timeLimit } = this.options;
    const run = { transaction, index: 0, block, state, gasUsedBefore: 0n, listGasLimit: MAX_INT64 };
    const execute = () => evm.execute({ ...run, deletedInList: new Set(), creditFee }).gasUsed;
    try {
      return timeLimit === undefined ? execute() : timeLimit.run(transaction, left, execute);
    } catch (error) {
      if (error instanceof TransactionRejected) return 0;
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
