import { ChainError } from "@cambium/chain";
import { DatabaseError } from "@cambium/database";
import { MinerError } from "@cambium/miner";
import { type Clock, platformClock, ThreadClient, ThreadError, threadEntry } from "@cambium/primitives";
import { TxPoolError } from "@cambium/txpool";
import type { Transaction } from "@cambium/types";
import { NodeError } from "../errors.js";
import type { BuildingMethods, BuildingOptions, BuildingThreadData, SlowTransaction } from "./building-messages.js";
import { BuildingSignals } from "./building-signals.js";
import { PoolMirrorSender } from "./pool-mirror.js";
import { StuckWatch } from "./stuck-watch.js";

/** Size of the young generation in megabytes: execution creates many short-lived objects. */
const YOUNG_GENERATION = 32;
/** Maximum number of calls in flight: one build, and reads. */
const MAX_IN_FLIGHT = 1024;
/** Milliseconds after which a failed thread is replaced: initially, and at most. */
const FIRST_DELAY = 500;
const LONGEST_DELAY = 60_000;

interface RunningThread {
  client: ThreadClient<BuildingMethods, SlowTransaction>;
  mirror: PoolMirrorSender;
  signals: BuildingSignals;
  watch: StuckWatch;
}

export interface BuildingClientOptions {
  /** Names the thread in errors. */
  name: string;
  data: Omit<BuildingThreadData, "signals">;
  /** Receives the error with which a thread ended, or for which it was replaced. */
  onFailure: (error: Error) => void;
  /** Receives each transaction of the pool that exceeds the time limit. */
  onSlow: (transaction: Transaction) => void;
  clock?: Clock | undefined;
}

/**
 * A thread that builds blocks. It starts with the first call. A failed thread is replaced by the first call after a
 * pause; earlier calls are rejected with its error. A thread that does not end the execution of a transaction is
 * replaced without a pause, and the transaction is reported as slow.
 */
export class BuildingClient {
  private readonly clock: Clock;
  /** Called when one transaction has taken the thread long. */
  private readonly lateListeners = new Set<() => void>();
  private running: RunningThread | undefined;
  private isClosed = false;
  private failures = 0;
  private latestFailure: { error: Error; until: number } | undefined;

  constructor(private readonly options: BuildingClientOptions) {
    this.clock = options.clock ?? platformClock;
  }

  get buildingOptions(): BuildingOptions {
    return this.options.data.options;
  }

  /** Whether the latest thread failed, and no call has succeeded since. */
  get isRecovering(): boolean {
    return this.failures > 0;
  }

  /** Starts the thread. Rejects if it could not open the database. */
  async open(): Promise<void> {
    await this.thread().client.opened;
  }

  /**
   * Calls a method in the thread; `argumentOf` receives the sender of the pool's updates. Rejects with the method's
   * error, `ThreadError`, or `NodeError` `THREAD_STUCK` if the thread was replaced.
   */
  async call<Name extends keyof BuildingMethods>(
    name: Name,
    argumentOf: (mirror: PoolMirrorSender) => Parameters<BuildingMethods[Name]>[0],
  ): Promise<Awaited<ReturnType<BuildingMethods[Name]>>> {
    const thread = this.thread();
    const { client, mirror, watch } = thread;
    watch.begin();
    try {
      const answer = await client.call(name, argumentOf(mirror));
      this.failures = 0;
      return answer;
    } catch (error) {
      if (!(error instanceof MinerError)) mirror.forget();
      const isReplaced = !this.isClosed && error instanceof ThreadError && error.code === "WORKER_CLOSED";
      throw isReplaced ? this.stuckError() : error;
    } finally {
      watch.end();
    }
  }

  /** Returns the answer of a call, or "late" once one transaction has taken the thread long. */
  async unlessLate<T>(answer: Promise<T>): Promise<T | "late"> {
    let stopListening = () => {};
    const late = new Promise<"late">((resolve) => {
      const listener = () => resolve("late");
      if (this.running?.watch.isLate === true) listener();
      this.lateListeners.add(listener);
      stopListening = () => this.lateListeners.delete(listener);
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      stopListening();
    }
  }

  /** Changes the option for blocks that are built from now on. */
  setMinimumGasPrice(price: bigint): void {
    // Included in the data of threads that start later.
    this.options.data.options.minimumGasPrice = price;
    this.running?.client.call("setMinimumGasPrice", price).catch(() => undefined);
  }

  /** Cancels the build with this number, and earlier ones. */
  abandon(number: number): void {
    this.running?.signals.abandon(number);
  }

  /** Waits for calls in progress. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.running?.client.close();
  }

  private thread(): RunningThread {
    if (this.isClosed) throw new ThreadError({ code: "WORKER_CLOSED", thread: this.options.name });
    if (this.running === undefined) {
      if (this.latestFailure !== undefined && this.clock.now() < this.latestFailure.until)
        throw this.latestFailure.error;
      this.running = this.start();
    }
    return this.running;
  }

  private start(): RunningThread {
    const { name, data } = this.options;
    const signals = new BuildingSignals();
    const mirror = new PoolMirrorSender();
    const client = new ThreadClient<BuildingMethods, SlowTransaction>({
      name,
      entry: threadEntry("./building-thread.js", import.meta.url),
      data: { ...data, signals: signals.memory } satisfies BuildingThreadData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION },
      errors: [ChainError, DatabaseError, MinerError, NodeError, TxPoolError],
      maxInFlight: MAX_IN_FLIGHT,
      onEvent: ({ slow }) => this.reportSlow(thread, slow),
      onFailure: (error) => this.fail(thread, error),
    });
    const listeners = {
      onLate: () => {
        for (const listener of this.lateListeners) listener();
      },
      onStuck: (transaction: number) => this.replace(thread, transaction),
    };
    const thread = { client, mirror, signals, watch: new StuckWatch(signals, listeners, this.clock) };
    client.opened.catch((error: Error) => this.fail(thread, error));
    return thread;
  }

  private fail(thread: RunningThread, error: Error): void {
    if (this.running !== thread || this.isClosed) return;
    this.running = undefined;
    const delay = Math.min(FIRST_DELAY * 2 ** this.failures, LONGEST_DELAY);
    this.failures++;
    this.latestFailure = { error, until: this.clock.now() + delay };
    thread.watch.stop();
    this.options.onFailure(error);
  }

  /** Ends the thread; the next call starts another one. */
  private replace(thread: RunningThread, transaction: number): void {
    this.running = undefined;
    thread.watch.stop();
    if (!this.isClosed) {
      this.options.onFailure(this.stuckError());
      this.reportSlow(thread, transaction);
    }
    void thread.client.terminate();
  }

  private stuckError(): NodeError {
    return new NodeError({ code: "THREAD_STUCK", thread: this.options.name });
  }

  /** A transaction that is no longer in the pool is not reported. */
  private reportSlow({ mirror }: RunningThread, number: number): void {
    const transaction = mirror.transactionOf(number);
    if (transaction !== undefined) this.options.onSlow(transaction);
  }
}
