import { processorClock } from "@cambium/primitives";
import type { Transaction } from "@cambium/types";
import { ExecutionInterrupted, TransactionRejected } from "./errors.js";

/**
 * Reasons why an execution has no result: `slow`: it took too long. `late`: its time was over before. `abandoned`: it
 * is no longer needed.
 */
export type Overrun = "slow" | "late" | "abandoned";

/** Clocks of the thread, in milliseconds; only differences are meaningful. */
export interface ThreadClocks {
  elapsed(): number;
  /** Processor time. */
  used(): number;
}

export interface TimeLimitOptions {
  /** Milliseconds of processor time of one transaction, including earlier attempts that came too late. */
  limit: number;
  /** Whether the results are no longer needed. */
  isAbandoned?: () => boolean;
  /** Called with each transaction before its execution, and with undefined after it. */
  onExecution?: (transaction: Transaction | undefined) => void;
  /** Called with each transaction that exceeds the limit. */
  onSlow?: (transaction: Transaction) => void;
  clocks?: ThreadClocks;
}

/** Milliseconds between two reads of the processor time, which the system updates a few hundred times per second. */
const PRECISION = 2;

/**
 * Limits the time in which one EVM executes each pending transaction. Transactions of blocks are never limited: whether
 * a block is valid must not depend on the computer.
 */
export class TimeLimit {
  private readonly clocks: ThreadClocks;
  private readonly isAbandoned: () => boolean;
  private isRunning = false;
  private start = 0;
  private left = 0;
  /** Processor time at the first check of this execution. Before that check, no code has run. */
  private usedBefore: number | undefined;
  /** Processor time of earlier attempts at this transaction. */
  private spent = 0;
  private readonly attempts = new WeakMap<Transaction, number>();
  private nextLook = 0;
  private overrun: Overrun = "late";

  constructor(private readonly options: TimeLimitOptions) {
    this.clocks = options.clocks ?? { elapsed: () => performance.now(), used: processorClock() };
    this.isAbandoned = options.isAbandoned ?? (() => false);
  }

  /** Whether the current execution must end; see `EvmOptions`. */
  readonly isInterrupted = (): boolean => {
    if (!this.isRunning) return false;
    if (this.isAbandoned()) return this.ends("abandoned");
    this.usedBefore ??= this.clocks.used();
    const now = this.clocks.elapsed();
    return now >= this.nextLook && this.isOver(now);
  };

  /** Milliseconds; only differences are meaningful. */
  now(): number {
    return this.clocks.elapsed();
  }

  /**
   * Executes a transaction for at most `left` milliseconds. Returns an overrun if it took too long, even if it ended by
   * itself. The caller then reverts its changes. Throws the errors of `execute`, unless that took too long.
   */
  run<Result>(transaction: Transaction, left: number, execute: () => Result): Result | Overrun {
    this.begin(transaction, left);
    this.options.onExecution?.(transaction);
    let result: Result | Overrun;
    try {
      result = this.attempt(execute);
    } finally {
      this.isRunning = false;
      this.options.onExecution?.(undefined);
    }
    if (result === "late") this.attempts.set(transaction, this.spent + this.used());
    else if (result !== "abandoned") this.attempts.delete(transaction);
    if (result === "slow") this.options.onSlow?.(transaction);
    return result;
  }

  private attempt<Result>(execute: () => Result): Result | Overrun {
    try {
      const result = execute();
      return this.isSlow() ? "slow" : result;
    } catch (error) {
      if (error instanceof ExecutionInterrupted) return this.overrun;
      if (error instanceof TransactionRejected && this.isSlow()) return "slow";
      throw error;
    }
  }

  private begin(transaction: Transaction, left: number): void {
    this.isRunning = true;
    this.start = this.clocks.elapsed();
    this.left = left;
    this.usedBefore = undefined;
    this.spent = this.attempts.get(transaction) ?? 0;
    this.nextLook = this.start + Math.min(left, this.options.limit - this.spent);
  }

  private isOver(now: number): boolean {
    const rest = this.options.limit - this.spent - this.used();
    if (rest <= 0) return this.ends("slow");
    const end = this.start + this.left;
    if (now >= end) return this.ends("late");
    this.nextLook = Math.min(end, now + Math.max(rest, PRECISION));
    return false;
  }

  private ends(overrun: Overrun): true {
    this.overrun = overrun;
    return true;
  }

  private isSlow(): boolean {
    const { limit } = this.options;
    return this.clocks.elapsed() - this.start >= limit && this.used() >= limit;
  }

  /** Processor time of the running execution. */
  private used(): number {
    return this.usedBefore === undefined ? 0 : this.clocks.used() - this.usedBefore;
  }
}
