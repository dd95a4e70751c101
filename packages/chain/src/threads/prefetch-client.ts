import { availableParallelism } from "node:os";
import type { NetworkConfig } from "@cambium/config";
import { ThreadClient, threadEntry } from "@cambium/primitives";
import { DiskReads } from "./disk-reads.js";
import type { PrefetchMethods, QueuedBlock } from "./prefetch-execution.js";
import type { PrefetchThreadData } from "./prefetch-thread.js";
import { PrefetchTrial } from "./prefetch-trial.js";
import { compact } from "./sender-recovery.js";

/** Microseconds: a read from the page cache takes 5 to 15, one from a fast disk 60 or more. */
const MIN_DISK_TIME = 50;
/** Shares of reads that wait for the disk: prefetching is tried above the first one, and ends below the second one. */
const BEGIN = 1 / 8;
const END = 1 / 32;
const UNDECIDED = 1 / 16;
/** With a single core, the import would wait for a thread instead of the disk. */
const MIN_CORES = 2;
/** One for each core, though they mostly wait; more would hardly let the import wait less. */
const MAX_THREADS = 4;
/** Number of failed threads after which no more are started. */
const MAX_FAILURES = 4;
/** A thread keeps little; a small heap is collected often and stays small. */
const WORKER_MEMORY = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 128 };
/** Limits of the blocks in a thread, each as a copy: the second one is there so that the thread need not wait for it. */
const BLOCKS_IN_THREAD = 2;
const BYTES_IN_THREAD = 4 * 1024 * 1024;
/** A position after all blocks. */
const BEYOND = 2 ** 31 - 1;

export interface PrefetchOptions {
  network: NetworkConfig;
  /** Directory of the database. */
  location: string;
  /** See `ThreadedChainOptions`. */
  minDiskTime?: number | undefined;
  /** Chosen by the number of cores if omitted. */
  maxThreads?: number | undefined;
  start?: (data: PrefetchThreadData, onFailure: () => void) => PrefetchWorker;
  /** Milliseconds. */
  now?: () => number;
}

export type PrefetchWorker = Pick<ThreadClient<PrefetchMethods>, "opened" | "call" | "close">;

/** A thread and what it has to do. */
interface Running {
  readonly worker: PrefetchWorker;
  isOpen: boolean;
  blocks: number;
  bytes: number;
}

/**
 * While the import waits for the disk, reads the state of queued blocks in other threads: the caches of LevelDB and of the system then have it for the
 * import. A thread is started when the import begins to wait, and another one if that is not enough; all end if the import is not faster with them.
 */
export class Prefetch {
  private readonly minDiskTime: number;
  private readonly maxThreads: number;
  /** Those of the import. */
  private reads: DiskReads;
  private readonly trial: PrefetchTrial;
  /** Position of the last block that was offered. */
  private offered = 0;
  /** Position of the block that the import has reached. */
  private readonly reached = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  /** Blocks that are in no thread yet, in order. The import has their bytes anyway. */
  private waiting: QueuedBlock[] = [];
  private readonly running = new Set<Running>();
  private failures = 0;
  private isClosed = false;
  /** Settles when threads that are not needed any more have ended. */
  private ended: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: PrefetchOptions) {
    const cores = availableParallelism();
    // What a fork reads from its source is not in the database.
    const isUseful = cores >= MIN_CORES && options.network.fork === undefined;
    this.minDiskTime = options.minDiskTime ?? (isUseful ? MIN_DISK_TIME : Number.POSITIVE_INFINITY);
    this.maxThreads = options.maxThreads ?? Math.min(cores, MAX_THREADS);
    this.reads = new DiskReads(this.minDiskTime, 0);
    this.trial = new PrefetchTrial(options.now);
  }

  /** Notes how long a read of the import took, in microseconds. */
  noteRead(microseconds: number): void {
    this.reads.note(microseconds);
    this.trial.note(this.reads.share > BEGIN);
    if (this.isOn) return;
    this.waiting = [];
    if (this.trial.isRefused && this.running.size > 0) this.endThreads();
  }

  private get isOn(): boolean {
    return this.minDiskTime === 0 || this.trial.isOn;
  }

  /** To be called for each block, in the order of the imports. `isQueued`: whether it waits until others are imported. */
  offer(block: Omit<QueuedBlock, "position">, isQueued: boolean): void {
    const position = ++this.offered;
    if (!this.isOn || !isQueued) return;
    this.waiting.push({ ...block, position });
    this.post();
  }

  /** Notes that the turn of the next block has come. */
  advance(): void {
    Atomics.add(this.reached, 0, 1);
  }

  /** Ends the threads, which give up the blocks in them. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.waiting = [];
    Atomics.store(this.reached, 0, BEYOND);
    this.endThreads();
    await this.ended;
  }

  private endThreads(): void {
    this.ended = Promise.all([this.ended, ...Array.from(this.running, ({ worker }) => worker.close())]);
    this.running.clear();
  }

  private post(): void {
    const reached = Atomics.load(this.reached, 0);
    while (this.waiting.length > 0) {
      const next = this.waiting[0]!;
      const running = next.position <= reached ? undefined : this.chooseThread(next);
      if (next.position > reached && running === undefined) return;
      this.waiting.shift();
      if (running !== undefined) void this.send(running, next);
    }
  }

  /** The thread with the least work; undefined if the block must wait. */
  private chooseThread({ bytes }: QueuedBlock): Running | undefined {
    if (this.running.size === 0) this.start();
    const [idlest] = [...this.running].sort((a, b) => a.blocks - b.blocks);
    if (idlest === undefined || idlest.blocks === 0) return idlest;
    return idlest.blocks < BLOCKS_IN_THREAD && idlest.bytes + bytes.length <= BYTES_IN_THREAD ? idlest : undefined;
  }

  private async send(running: Running, { bytes, senders, position }: QueuedBlock): Promise<void> {
    running.blocks++;
    running.bytes += bytes.length;
    try {
      const { diskShare, isComplete } = await running.worker.call("prefetch", {
        bytes: compact(bytes),
        senders,
        position,
      });
      this.trial.advance();
      this.adapt(diskShare, isComplete);
    } catch {
      // The import reads the state itself. Whether the thread has ended is noted by `start`.
    }
    running.blocks--;
    running.bytes -= bytes.length;
    this.post();
  }

  /** Starts another thread, or ends prefetching, by the result of a block: see {@link PrefetchResult}. */
  private adapt(diskShare: number, isComplete: boolean): void {
    const { share } = this.reads;
    if (!isComplete && share > BEGIN && this.running.size < this.maxThreads) this.start();
    // What the threads have read is fast to read for the import; so they go on until their own reads are fast, too.
    if (this.minDiskTime === 0 || share >= END || diskShare >= END) return;
    this.trial.end();
    this.waiting = [];
  }

  /** One at a time: whether another one is needed is seen only with those before. */
  private start(): void {
    const isStarting = [...this.running].some(({ isOpen }) => !isOpen);
    if (isStarting || this.isClosed || this.failures >= MAX_FAILURES) return;
    const { network, location, start = startThread } = this.options;
    const { minDiskTime, reached } = this;
    const worker = start({ network, location, minDiskTime, reached }, () => this.forget(running));
    const running: Running = { worker, isOpen: false, blocks: 0, bytes: 0 };
    this.running.add(running);
    worker.opened.then(
      () => {
        running.isOpen = true;
        this.reads = new DiskReads(minDiskTime, UNDECIDED);
      },
      () => this.forget(running),
    );
  }

  private forget(running: Running): void {
    if (this.running.delete(running)) this.failures++;
  }
}

function startThread(data: PrefetchThreadData, onFailure: () => void): PrefetchWorker {
  return new ThreadClient<PrefetchMethods>({
    name: "prefetch",
    entry: threadEntry("./prefetch-thread.js", import.meta.url),
    data,
    resourceLimits: WORKER_MEMORY,
    maxInFlight: BLOCKS_IN_THREAD,
    onFailure,
  });
}
