import type { ListGasLimits } from "@cambium/chain";
import { PARALLEL_LISTS } from "@cambium/config";

/** Index of a parallel list, or the sequential list, which runs after them. */
export type ListName = number | "sequential";

/** The properties of an executed transaction that determine its list. `reads` and `writes` are sets of keys. */
export interface Placement {
  sender: string;
  reads: ReadonlySet<string>;
  writes: ReadonlySet<string>;
  gasLimit: bigint;
  gasUsed: bigint;
  /** Whether it called a contract that parallel lists must not call. */
  sequentialOnly: boolean;
}

/** Execution edges are signed 16-bit numbers. */
const MOST_IN_PARALLEL = 0x7fff;

/**
 * Distributes the transactions of a block over its execution lists (RSKIP-144, `spec/02 §7.6`). Keys that two lists
 * share are only read, so executing the lists one after another gives the same result as the order of the calls.
 */
export class ExecutionScheduler {
  private readonly used = new Map<ListName, bigint>();
  private readonly writers = new Map<string, ListName>();
  private readonly readers = new Map<string, Set<ListName>>();
  private readonly listOfSender = new Map<string, ListName>();
  private placedInParallel = 0;

  constructor(private readonly limits: ListGasLimits) {}

  /** The largest gas limit that still fits into a list. */
  get room(): bigint {
    let most = this.roomIn("sequential");
    for (let list = 0; list < PARALLEL_LISTS; list++) {
      const room = this.roomIn(list);
      if (room > most) most = room;
    }
    return most;
  }

  /** Assigns the next transaction to a list; undefined if none has room for its gas limit. */
  place(placement: Placement): ListName | undefined {
    const wanted = this.wanted(placement);
    const list = [wanted, "sequential" as const].find((name) => this.hasRoom(name, placement.gasLimit));
    if (list !== undefined) this.book(list, placement);
    return list;
  }

  private roomIn(list: ListName): bigint {
    const limit = list === "sequential" ? this.limits.sequential : this.limits.parallel;
    return limit - (this.used.get(list) ?? 0n);
  }

  private hasRoom(list: ListName, gasLimit: bigint): boolean {
    if (list !== "sequential" && this.placedInParallel === MOST_IN_PARALLEL) return false;
    return gasLimit <= this.roomIn(list);
  }

  private wanted({ sender, reads, writes, gasLimit, sequentialOnly }: Placement): ListName {
    if (sequentialOnly) return "sequential";
    const bound = new Set<ListName>();
    const own = this.listOfSender.get(sender);
    if (own !== undefined) bound.add(own);
    for (const key of reads) this.addWriter(key, bound);
    for (const key of writes) {
      this.addWriter(key, bound);
      for (const list of this.readers.get(key) ?? []) bound.add(list);
    }
    if (bound.size > 1) return "sequential";
    const [only] = bound;
    return only ?? this.leastUsed(gasLimit);
  }

  private addWriter(key: string, bound: Set<ListName>): void {
    const list = this.writers.get(key);
    if (list !== undefined) bound.add(list);
  }

  private leastUsed(gasLimit: bigint): ListName {
    let best: ListName = "sequential";
    for (let list = 0; list < PARALLEL_LISTS; list++) {
      if (!this.hasRoom(list, gasLimit)) continue;
      if (best === "sequential" || this.roomIn(list) > this.roomIn(best)) best = list;
    }
    return best;
  }

  private book(list: ListName, { sender, reads, writes, gasUsed }: Placement): void {
    this.used.set(list, (this.used.get(list) ?? 0n) + gasUsed);
    if (list !== "sequential") this.placedInParallel++;
    if (list === "sequential" || !this.listOfSender.has(sender)) this.listOfSender.set(sender, list);
    for (const key of writes) this.writers.set(key, list);
    for (const key of reads) {
      const known = this.readers.get(key);
      if (known === undefined) this.readers.set(key, new Set([list]));
      else known.add(list);
    }
  }
}
