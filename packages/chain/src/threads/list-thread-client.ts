import { availableParallelism } from "node:os";
import { ThreadClient, threadEntry } from "@cambium/primitives";
import { type Block, packKnownSenders } from "@cambium/types";
import type { ListResults } from "../execution/block-executor.js";
import { twoParallelLists } from "../execution/execution-lists.js";
import type { ListExecutor } from "../import/list-executor.js";
import type { ListMethods } from "./list-execution.js";
import type { ListThreadData } from "./list-thread.js";
import { compact } from "./sender-recovery.js";

/** Megabytes: execution creates many short-lived objects. */
const YOUNG_GENERATION = 32;
/** One list, and one whose block turned out to be invalid before. */
const MAX_IN_FLIGHT = 2;
/** Cores below which the threads that import, recover signers and write leave none for another one. */
const MIN_CORES = 3;
/** What the first list must take, in milliseconds, and the second one have, in gas, for the work to be worth a message to a thread. */
const MIN_TIME = 3;
const MIN_GAS = 200_000;
/** Number of threads that are started at most; each one after the first replaces one that has failed. */
const MAX_STARTS = 4;

export interface ListThreadOptions extends ListThreadData {
  /** See {@link ListExecutor}; 0: all lists, `Infinity`: none. Chosen by the number of cores if omitted. */
  minTime?: number | undefined;
  start?: (data: ListThreadData, onFailure: () => void) => ListWorker;
}

export type ListWorker = Pick<ThreadClient<ListMethods>, "opened" | "call" | "close">;

/**
 * Executes second parallel lists in a thread that reads the same database. It is started by the first block that has enough work for it, and gets the
 * first list when it is ready.
 */
export class ListThread implements ListExecutor {
  readonly minTime: number;
  private worker: ListWorker | undefined;
  private isOpen = false;
  private starts = 0;

  constructor(private readonly options: ListThreadOptions) {
    this.minTime = options.minTime ?? (availableParallelism() < MIN_CORES ? Number.POSITIVE_INFINITY : MIN_TIME);
  }

  takes(block: Block): boolean {
    if (!this.hasEnoughWork(block)) return false;
    if (this.worker === undefined) this.start();
    return this.isOpen;
  }

  private hasEnoughWork(block: Block): boolean {
    if (this.minTime === Number.POSITIVE_INFINITY) return false;
    const edges = twoParallelLists(block, this.options.network);
    return edges !== undefined && (this.minTime === 0 || gasOf(block, edges[0]!, edges[1]!) >= MIN_GAS);
  }

  async execute(block: Block): Promise<ListResults | undefined> {
    const { worker } = this;
    if (worker === undefined) return undefined;
    const bytes = compact(block.encode());
    return worker.call("execute", { bytes, senders: packKnownSenders(block.transactions) });
  }

  /** Resolves when the thread is ready, if it was started. Rejects with the error that prevented its start. */
  async opened(): Promise<void> {
    await this.worker?.opened;
  }

  /** Waits for the list in execution, if any, and ends the thread. */
  async close(): Promise<void> {
    this.starts = MAX_STARTS;
    await this.worker?.close();
  }

  private start(): void {
    if (this.starts >= MAX_STARTS) return;
    this.starts++;
    const { network, location, start = startThread } = this.options;
    const worker = start({ network, location }, () => this.forget(worker));
    this.worker = worker;
    worker.opened.then(
      () => {
        this.isOpen = this.worker === worker;
      },
      () => this.forget(worker),
    );
  }

  private forget(worker: ListWorker): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    this.isOpen = false;
  }
}

/** Gas limits of a range of a block's transactions. */
function gasOf({ transactions }: Block, start: number, end: number): number {
  return transactions.slice(start, end).reduce((sum, { gasLimit }) => sum + Number(gasLimit), 0);
}

function startThread(data: ListThreadData, onFailure: () => void): ListWorker {
  return new ThreadClient<ListMethods>({
    name: "parallel lists",
    entry: threadEntry("./list-thread.js", import.meta.url),
    data,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION },
    maxInFlight: MAX_IN_FLIGHT,
    onFailure,
  });
}
