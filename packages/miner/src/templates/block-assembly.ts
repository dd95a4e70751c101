import { executingBlock, type ListGasLimits, listGasLimits } from "@cambium/chain";
import { hasExecutionLists, type NetworkConfig, PARALLEL_LISTS, REWARD_ADDRESS, type Rules } from "@cambium/config";
import {
  type Evm,
  type Overrun,
  type RejectionCode,
  type TimeLimit,
  type TransactionOutcome,
  TransactionRejected,
} from "@cambium/evm";
import { CambiumError, fromHex, toHex } from "@cambium/primitives";
import {
  type AncestorReader,
  accountKey,
  type ExecutingBlock,
  type JournaledState,
  type KeyTracker,
  type StateCheckpoint,
} from "@cambium/state";
import { type BlockHeader, bloomOfLogs, gasValue, type Receipt, type Transaction, uniteBlooms } from "@cambium/types";
import type { TransactionFault } from "../interface.js";
import type { ScreenedTransaction } from "./candidate-screening.js";
import { ExecutionScheduler, type ListName, type Placement } from "./execution-scheduler.js";

/** Context for executing transactions into a block. */
export interface AssemblyInput {
  /** Header with the fields that execution reads. */
  header: BlockHeader;
  rules: Rules;
  network: NetworkConfig;
  evm: Evm;
  /** Limit of the time for one transaction in `evm`; by default there is none. */
  timeLimit?: TimeLimit | undefined;
  /** The branch that ends at the parent. */
  ancestors: AncestorReader;
  /** State after the parent, with the native contracts of this height set up. */
  state: JournaledState;
  /** Receives each unexpected error of an execution; its transaction is left out of the block. */
  onInternalFault: (fault: TransactionFault) => void;
}

/** Reason why a candidate is not in the block: a later block may have it, none can, or its execution did not end. */
export type CandidateRefusal = "no-room" | "not-now" | "never" | Overrun;

/** The transactions and the header fields that depend on them. */
export interface AssembledBlock {
  transactions: readonly Transaction[];
  receipts: readonly Receipt[];
  gasUsed: number;
  paidFees: bigint;
  logsBloom: Uint8Array;
  /** null before RSKIP-144. */
  executionEdges: readonly number[] | null;
  /** Whether the transactions were executed in the order of the block, as in its validation. */
  isInExecutionOrder: boolean;
}

/** A transaction in its list. */
interface Entry {
  list: ListName;
  transaction: Transaction;
  outcome: TransactionOutcome;
}

/** A transaction of the block, with the data to remove it again. */
interface Included extends Entry {
  candidate: ScreenedTransaction;
  before: StateCheckpoint;
  placement: Placement;
}

/** Rejections that hold in every state and every block under these rules. */
const PERMANENT: ReadonlySet<RejectionCode> = new Set<RejectionCode>([
  "INIT_CODE_SIZE",
  "INTRINSIC_GAS",
  "ADDRESS_LENGTH",
  "SIGNATURE",
  "INTERNAL_ERROR",
]);

/**
 * A block under construction. Every transaction is executed once, in the order of the calls, and then assigned to one
 * of the lists. `ExecutionScheduler` ensures that executing the lists in their final order gives the same result
 * (`spec/02 §7.6`).
 */
export class BlockAssembly {
  private readonly context: ExecutingBlock;
  private scheduler: ExecutionScheduler;
  private deleted = new DeletedAccounts();
  private readonly log: Included[] = [];
  private readonly hasLists: boolean;
  private readonly limits: ListGasLimits;
  private readonly sequentialOnly: ReadonlySet<string>;

  constructor(private readonly input: AssemblyInput) {
    const { header, rules, network, ancestors } = input;
    this.context = executingBlock(header, ancestors);
    this.hasLists = hasExecutionLists(rules);
    const gasLimit = gasValue(header.gasLimit);
    this.limits = this.hasLists
      ? listGasLimits(gasLimit, BigInt(network.consensus.minimumSequentialGas))
      : { parallel: 0n, sequential: gasLimit };
    this.scheduler = new ExecutionScheduler(this.limits);
    this.sequentialOnly = new Set(network.sequentialOnlyContracts.map(toHex));
  }

  /** Number of transactions in the block so far. */
  get length(): number {
    return this.log.length;
  }

  /** The transactions in the block so far, in the order in which they were added. */
  included(): ScreenedTransaction[] {
    return this.log.map(({ candidate }) => candidate);
  }

  /** Removes the last transactions, so that this number is left. */
  truncate(length: number): void {
    const first = this.log[length];
    if (first === undefined) return;
    this.input.state.revertTo(first.before);
    this.log.length = length;
    this.scheduler = new ExecutionScheduler(this.limits);
    this.deleted = new DeletedAccounts();
    for (const { placement, outcome } of this.log) {
      this.scheduler.place(placement);
      this.deleted.addAll(outcome.deleted);
    }
  }

  /**
   * Executes a transaction and adds it to the block, or returns why it is not added. With a time limit, the execution
   * ends after `left` milliseconds.
   */
  add(candidate: ScreenedTransaction, left: number): CandidateRefusal | undefined {
    const { transaction, sender, gasLimit } = candidate;
    if (gasLimit > this.scheduler.room) return "no-room";
    const { state } = this.input;
    const before = state.checkpoint();
    const keys: KeyTracker = { reads: new Set(), writes: new Set() };
    const outcome = this.tryExecute(transaction, keys, left);
    if (typeof outcome === "string") {
      state.revertTo(before);
      return outcome;
    }
    const placement: Placement = {
      sender,
      ...keys,
      gasLimit,
      gasUsed: BigInt(outcome.gasUsed),
      sequentialOnly: !this.hasLists || this.callsSequentialOnly(outcome),
    };
    const list = this.scheduler.place(placement);
    if (list === undefined) {
      state.revertTo(before);
      return "no-room";
    }
    this.log.push({ list, transaction, outcome, candidate, before, placement });
    this.deleted.addAll(outcome.deleted);
    return undefined;
  }

  /**
   * The block with its reward transaction. Fees are credited right before it, as in validation. More transactions can
   * be added once the caller has reverted the state.
   */
  finish(reward: Transaction): AssembledBlock {
    let fees = 0n;
    for (const { outcome } of this.log) fees += outcome.fee;
    if (this.hasLists && fees > 0n) this.input.state.addBalance(REWARD_ADDRESS, fees);
    const outcome = this.execute(reward, undefined);
    return this.summary([...this.log, { list: "sequential", transaction: reward, outcome }], fees + outcome.fee);
  }

  private tryExecute(transaction: Transaction, keys: KeyTracker, left: number): TransactionOutcome | CandidateRefusal {
    const { state, timeLimit } = this.input;
    const execute = () => this.execute(transaction, keys);
    try {
      if (this.hasLists) state.trackKeys(keys);
      return timeLimit === undefined ? execute() : timeLimit.run(transaction, left, execute);
    } catch (error) {
      if (error instanceof TransactionRejected) return PERMANENT.has(error.code) ? "never" : "not-now";
      // A typed error concerns the database, so every transaction would fail.
      if (error instanceof CambiumError) throw error;
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.input.onInternalFault({ hash: transaction.hash, reason });
      return "never";
    } finally {
      state.trackKeys(undefined);
    }
  }

  private execute(transaction: Transaction, keys: KeyTracker | undefined): TransactionOutcome {
    return this.input.evm.execute({
      transaction,
      index: this.log.length,
      block: this.context,
      state: this.input.state,
      gasUsedBefore: 0n,
      // The scheduler enforces the gas limits of the lists; this limit only has to cover any of them.
      listGasLimit: transaction.isReward ? this.limits.sequential : this.scheduler.room,
      deletedInList: this.deleted.seenBy(keys),
      creditFee: !this.hasLists,
    });
  }

  private callsSequentialOnly({ calledContracts }: TransactionOutcome): boolean {
    for (const address of calledContracts) if (this.sequentialOnly.has(address)) return true;
    return false;
  }

  private summary(entries: readonly Entry[], paidFees: bigint): AssembledBlock {
    const transactions: Transaction[] = [];
    const receipts: Receipt[] = [];
    const edges: number[] = [];
    let gasUsed = 0;
    for (const list of [...Array(PARALLEL_LISTS).keys(), "sequential" as const]) {
      const start = transactions.length;
      let listGas = 0;
      for (const { transaction, outcome } of entries.filter((entry) => entry.list === list)) {
        listGas += outcome.gasUsed;
        transactions.push(transaction);
        receipts.push(receiptOf(outcome, listGas));
      }
      gasUsed += listGas;
      if (list !== "sequential" && transactions.length > start) edges.push(transactions.length);
    }
    return {
      transactions,
      receipts,
      gasUsed,
      paidFees,
      logsBloom: uniteBlooms(receipts.map((receipt) => receipt.logsBloom)),
      executionEdges: this.hasLists ? edges : null,
      // All in one list, and the reward transaction, which is the last one in any case.
      isInExecutionOrder: new Set(this.log.map(({ list }) => list)).size <= 1,
    };
  }
}

function receiptOf({ status, gasUsed, logs }: TransactionOutcome, cumulativeGas: number): Receipt {
  return { status, gasUsed, cumulativeGas, logsBloom: bloomOfLogs(logs), logs };
}

/**
 * Accounts that self-destructed in this block, in any list. CREATE2 fails at such an address without touching its
 * account, so a lookup is tracked as a read of the account. Validation keeps this set per list: the tracked read puts
 * the transaction into a list with the same set (`spec/02 §6.4`).
 */
class DeletedAccounts extends Set<string> {
  private tracker: KeyTracker | undefined;

  addAll(addresses: Iterable<string>): void {
    for (const address of addresses) this.add(address);
  }

  /** Returns this set with lookups tracked as reads in `tracker`. */
  seenBy(tracker: KeyTracker | undefined): this {
    this.tracker = tracker;
    return this;
  }

  override has(address: string): boolean {
    const isDeleted = super.has(address);
    if (isDeleted) this.tracker?.reads.add(toHex(accountKey(fromHex(address))));
    return isDeleted;
  }
}
