import { availableParallelism } from "node:os";
import { ThreadClient, threadEntry } from "@cambium/primitives";
import type { RecoveryMethods, UnrecoveredBlock } from "./sender-recovery-thread.js";

/** A recovering thread holds no state; a small heap is collected often and stays small. */
const WORKER_MEMORY = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 };
/** Cores for each thread: the threads that import, write and communicate are busy at the same time. */
const CORES_PER_THREAD = 2;
/** More threads would recover faster than any import executes. */
const MAX_THREADS = 4;
/** Limits of the blocks that are in the threads, each as a copy: enough to stay ahead of the import. */
const MAX_BLOCKS = 64;
const MAX_BYTES = 8 * 1024 * 1024;

export interface SenderRecoveryOptions {
  /** Maximum number of threads; chosen by the number of cores if omitted. */
  maxThreads?: number;
  start?: () => RecoveryThread;
}

export type RecoveryThread = Pick<ThreadClient<RecoveryMethods>, "opened" | "call" | "terminate">;

/** A running thread and the bytes of the blocks in it. */
interface Running {
  readonly thread: RecoveryThread;
  isOpen: boolean;
  load: number;
}

/**
 * Recovers the signers of blocks in separate threads, ahead of the import: recovery costs more than executing a simple
 * transfer. A thread is started once all others have work.
 */
export class SenderRecovery {
  private readonly maxThreads: number;
  private readonly start: () => RecoveryThread;
  private readonly threads = new Set<Running>();
  /** Latest blocks: those in the threads, and those that wait until earlier ones are finished. */
  private readonly latest: { size: number; over: Promise<unknown> }[] = [];
  private latestBytes = 0;

  constructor({ maxThreads = threadsFor(availableParallelism()), start = startThread }: SenderRecoveryOptions = {}) {
    this.maxThreads = maxThreads;
    this.start = start;
  }

  /**
   * Packed signers of a block; they may arrive in any order. Undefined if the block's thread fails: then the import
   * recovers them, and a later block starts another thread.
   */
  recover(block: UnrecoveredBlock): Promise<Uint8Array | undefined> {
    const size = block.bytes.length;
    const senders = this.room(size).then(() => this.send(block));
    this.latest.push({ size, over: senders });
    this.latestBytes += size;
    return senders;
  }

  /** Resolves when the blocks that a block of this size displaces from the limits are over. */
  private async room(size: number): Promise<void> {
    const displaced: Promise<unknown>[] = [];
    while (this.latest.length >= MAX_BLOCKS || (this.latest.length > 0 && this.latestBytes + size > MAX_BYTES)) {
      const earliest = this.latest.shift()!;
      this.latestBytes -= earliest.size;
      displaced.push(earliest.over);
    }
    await Promise.all(displaced);
  }

  private async send({ bytes, senders }: UnrecoveredBlock): Promise<Uint8Array | undefined> {
    const running = this.chooseThread();
    const { thread } = running;
    running.load += bytes.length;
    try {
      return await thread.call("recover", { bytes: compact(bytes), senders });
    } catch {
      if (this.threads.delete(running)) await thread.terminate();
      return undefined;
    } finally {
      running.load -= bytes.length;
    }
  }

  /** Returns the thread with the least work. A starting thread gets none while others are ready. */
  private chooseThread(): Running {
    const open = [...this.threads].filter(({ isOpen }) => isOpen);
    const usable = open.length > 0 ? open : [...this.threads];
    const [idlest] = usable.sort((a, b) => a.load - b.load);
    const isStarted = (idlest === undefined || idlest.load > 0) && this.threads.size < this.maxThreads;
    const started = isStarted ? this.startOne() : undefined;
    return idlest ?? started!;
  }

  private startOne(): Running {
    const running: Running = { thread: this.start(), isOpen: false, load: 0 };
    this.threads.add(running);
    running.thread.opened.then(
      () => {
        running.isOpen = true;
      },
      () => this.threads.delete(running),
    );
    return running;
  }

  /** Ends the threads; signers in recovery are undefined. */
  async close(): Promise<void> {
    await Promise.all([...this.threads].map(({ thread }) => thread.terminate()));
  }
}

function threadsFor(cores: number): number {
  return Math.min(Math.max(Math.floor(cores / CORES_PER_THREAD), 1), MAX_THREADS);
}

/** Starts a recovering thread. */
export function startThread(): RecoveryThread {
  return new ThreadClient<RecoveryMethods>({
    name: "sender recovery",
    entry: threadEntry("./sender-recovery-thread.js", import.meta.url),
    resourceLimits: WORKER_MEMORY,
    maxInFlight: MAX_BLOCKS,
  });
}

/** Copies a view, since posting it to a thread would copy its whole underlying buffer. */
export function compact(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}
