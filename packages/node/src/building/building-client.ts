import { ChainError } from "@cambium/chain";
import { DatabaseError } from "@cambium/database";
import { MinerError } from "@cambium/miner";
import { steadyTime, ThreadClient, ThreadError, threadEntry } from "@cambium/primitives";
import { TxPoolError } from "@cambium/txpool";
import { NodeError } from "../errors.js";
import type { BuildingMethods, BuildingOptions, BuildingThreadData } from "./building-messages.js";
import { PoolMirrorSender } from "./pool-mirror.js";

/** Megabytes: execution creates many short-lived objects. */
const YOUNG_GENERATION = 32;
/** Maximum calls in flight: one build, and reads. */
const MAX_IN_FLIGHT = 1024;
/** Milliseconds after which a failed thread is replaced: initially, and at most. */
const FIRST_DELAY = 500;
const LONGEST_DELAY = 60_000;

interface RunningThread {
  client: ThreadClient<BuildingMethods>;
  mirror: PoolMirrorSender;
}

export interface BuildingClientOptions {
  /** Names the thread in errors. */
  name: string;
  data: Omit<BuildingThreadData, "abandoned">;
  /** Receives the error with which a thread ended. */
  onFailure: (error: Error) => void;
  /** Milliseconds; only differences are meaningful. */
  now?: (() => number) | undefined;
}

/**
 * A thread that builds blocks. It starts with the first call. A failed thread is replaced by the first call after a pause;
 * calls before that are rejected with its error.
 */
export class BuildingClient {
  private readonly abandoned = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  private readonly now: () => number;
  private running: RunningThread | undefined;
  private isClosed = false;
  private failures = 0;
  private latestFailure: { error: Error; until: number } | undefined;

  constructor(private readonly options: BuildingClientOptions) {
    this.now = options.now ?? steadyTime;
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
   * Calls a method in the thread; `argumentOf` receives the sender of the pool's updates. Rejects with the method's error or
   * `ThreadError`.
   */
  async call<Name extends keyof BuildingMethods>(
    name: Name,
    argumentOf: (mirror: PoolMirrorSender) => Parameters<BuildingMethods[Name]>[0],
  ): Promise<Awaited<ReturnType<BuildingMethods[Name]>>> {
    const { client, mirror } = this.thread();
    try {
      const answer = await client.call(name, argumentOf(mirror));
      this.failures = 0;
      return answer;
    } catch (error) {
      if (!(error instanceof MinerError)) mirror.forget();
      throw error;
    }
  }

  /** Changes the option for blocks that are built from now on. */
  setMinimumGasPrice(price: bigint): void {
    // A thread that starts later has it from the beginning.
    this.options.data.options.minimumGasPrice = price;
    this.running?.client.call("setMinimumGasPrice", price).catch(() => undefined);
  }

  /** Cancels the build with this number if it is still running. */
  abandon(number: number): void {
    Atomics.store(this.abandoned, 0, number);
  }

  /** Waits for calls in progress. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.running?.client.close();
  }

  private thread(): RunningThread {
    if (this.isClosed) throw new ThreadError({ code: "WORKER_CLOSED", thread: this.options.name });
    if (this.running === undefined) {
      if (this.latestFailure !== undefined && this.now() < this.latestFailure.until) throw this.latestFailure.error;
      this.running = this.start();
    }
    return this.running;
  }

  private start(): RunningThread {
    const { name, data } = this.options;
    const client = new ThreadClient<BuildingMethods>({
      name,
      entry: threadEntry("./building-thread.js", import.meta.url),
      data: { ...data, abandoned: this.abandoned } satisfies BuildingThreadData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION },
      errors: [ChainError, DatabaseError, MinerError, NodeError, TxPoolError],
      maxInFlight: MAX_IN_FLIGHT,
      onFailure: (error) => this.fail(thread, error),
    });
    const thread = { client, mirror: new PoolMirrorSender() };
    client.opened.catch((error: Error) => this.fail(thread, error));
    return thread;
  }

  private fail(thread: RunningThread, error: Error): void {
    if (this.running !== thread || this.isClosed) return;
    this.running = undefined;
    const delay = Math.min(FIRST_DELAY * 2 ** this.failures, LONGEST_DELAY);
    this.failures++;
    this.latestFailure = { error, until: this.now() + delay };
    this.options.onFailure(error);
  }
}
