import { createHash } from "node:crypto";
import { getEnvironmentData, isMainThread, setEnvironmentData } from "node:worker_threads";

/** Number of values in a cell: the buckets of a histogram and their sum. */
const CELL = 16;
/** Number of cells in a section; a power of two. */
const CELLS = 2048;
/** Maximum number of threads that are measured at the same time. */
const SECTIONS = 48;

const MEMORY = "cambium.measurements";
const THREAD = "cambium.measurements.thread";
const MAIN = 0;

interface SharedMemory {
  /** Keys of cells by position; 0 for a free position. A position means the same in all sections. */
  readonly keys: SharedArrayBuffer;
  /** Flags of the sections: 1 while a thread has the section. */
  readonly taken: SharedArrayBuffer;
  /** Values, one section after the other. Memory that no thread touches takes no space. */
  readonly numbers: SharedArrayBuffer;
  /** 1 if collections of garbage are measured, which takes a little time. */
  readonly observed: SharedArrayBuffer;
}

/**
 * Shared memory with a section for every thread of the process, to which only that thread writes. Counting therefore
 * takes no lock and no message. A reader adds the values of all sections. Node.js copies the environment data of a
 * thread to the threads that it starts.
 */
const shared = (getEnvironmentData(MEMORY) as SharedMemory | undefined) ?? createMemory();
const keys = new BigUint64Array(shared.keys);
const numbers = new Float64Array(shared.numbers);
const taken = new Int32Array(shared.taken);
const observed = new Int32Array(shared.observed);
const own = takeOwnThread();
const ownSection = isMainThread ? MAIN : own?.section;

function createMemory(): SharedMemory {
  const memory = {
    keys: new SharedArrayBuffer(CELLS * BigUint64Array.BYTES_PER_ELEMENT),
    taken: new SharedArrayBuffer(SECTIONS * Int32Array.BYTES_PER_ELEMENT),
    numbers: new SharedArrayBuffer(SECTIONS * CELLS * CELL * Float64Array.BYTES_PER_ELEMENT),
    observed: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
  };
  setEnvironmentData(MEMORY, memory as never);
  return memory;
}

interface MeasuredThread {
  readonly name: string;
  readonly section: number | undefined;
}

/**
 * Returns the section of this thread. Undefined for the main thread, and for a thread without `ThreadClient`, which is
 * not measured.
 */
function takeOwnThread(): MeasuredThread | undefined {
  if (isMainThread) return undefined;
  const thread = getEnvironmentData(THREAD) as MeasuredThread | undefined;
  // Removed so that threads started by this one do not inherit it.
  setEnvironmentData(THREAD, undefined as never);
  return thread;
}

/** Name of the calling thread. */
export const OWN_THREAD = isMainThread ? "main" : (own?.name ?? "other");

/**
 * Calls `start`, which must start one thread immediately, so that the thread is measured. Returns a function to call
 * when the thread has ended.
 */
export function withSection<T>(name: string, start: () => T): { result: T; release: () => void } {
  const section = freeSection();
  setEnvironmentData(THREAD, { name, section } satisfies MeasuredThread as never);
  try {
    // The values of a section remain when its thread ends: totals never fall. The next thread continues with them.
    const release = () => {
      if (section !== undefined) Atomics.store(taken, section, 0);
    };
    return { result: start(), release };
  } finally {
    setEnvironmentData(THREAD, undefined as never);
  }
}

function freeSection(): number | undefined {
  for (let section = MAIN + 1; section < SECTIONS; section++) {
    if (Atomics.compareExchange(taken, section, 0, 1) === 0) return section;
  }
  return undefined;
}

/** Memory for values with a name, the same in all threads. */
export interface Cell {
  /** Array in which the calling thread's values begin at `start`; no other thread writes to them. */
  readonly numbers: Float64Array;
  readonly start: number;
  /** Returns the value at an index, summed over all threads. */
  total(index: number): number;
}

/** Returns the cell with this name. If all are used, returns one that only the calling thread sees. */
export function cellOf(name: string): Cell {
  const position = positionOf(createHash("sha256").update(name).digest().readBigUInt64LE() | 1n);
  if (position === undefined || ownSection === undefined) {
    const own = new Float64Array(CELL);
    return { numbers: own, start: 0, total: (index) => own[index]! };
  }
  return {
    numbers,
    start: startOf(ownSection, position),
    total(index) {
      let sum = 0;
      for (let section = 0; section < SECTIONS; section++) sum += numbers[startOf(section, position) + index]!;
      return sum;
    },
  };
}

function startOf(section: number, position: number): number {
  return (section * CELLS + position) * CELL;
}

/** Finds the position of a key. Several threads may search for the same or different keys concurrently. */
function positionOf(key: bigint): number | undefined {
  const first = Number(key % BigInt(CELLS));
  for (let step = 0; step < CELLS; step++) {
    const position = (first + step) % CELLS;
    const found = Atomics.compareExchange(keys, position, 0n, key);
    if (found === 0n || found === key) return position;
  }
  return undefined;
}

/** Starts the measurement of garbage collections, also in threads that start later. */
export function observeGarbageCollection(): void {
  Atomics.store(observed, 0, 1);
}

export function isGarbageCollectionObserved(): boolean {
  return Atomics.load(observed, 0) === 1;
}
