const SLICE_MILLISECONDS = 10;

/** Long work rests only if a light request began within this time, in milliseconds. */
const LIGHT_MEMORY = 1_000;
/** The longest rest, in milliseconds. */
const MAX_REST = 50;

/** Resumes pieces of long work that wait for their next turn. */
const waiting: (() => void)[] = [];
/** Whether a turn is scheduled, running, or followed by a rest. */
let isScheduled = false;
let lastLight = Number.NEGATIVE_INFINITY;

/**
 * Resolves in a later turn of the event loop. Each turn resumes only one waiting piece of work. While there are light
 * requests, long work rests for as long as its last turn took. A light request needs several turns from its connection
 * to its response. It thus waits for one piece of long work, not for one in each turn.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(runNext);
  });
}

/** Notes that a light request begins. */
export function noteLightRequest(): void {
  lastLight = performance.now();
}

function runNext(): void {
  const start = performance.now();
  waiting.shift()!();
  setImmediate(() => rest(performance.now() - start));
}

function rest(milliseconds: number): void {
  const isShared = performance.now() - lastLight < LIGHT_MEMORY;
  if (isShared && milliseconds >= 1) setTimeout(resume, Math.min(milliseconds, MAX_REST));
  else resume();
}

function resume(): void {
  if (waiting.length > 0) setImmediate(runNext);
  else isScheduled = false;
}

/** Whether long work waits, so that further work should queue behind it. */
export function isBusy(): boolean {
  return waiting.length > 0;
}

/** Yields to the event loop during long work, whenever a time slice is used up. */
export class TurnTaker {
  private sliceEnd: number;

  /** `firstSlice` in milliseconds. */
  constructor(firstSlice = SLICE_MILLISECONDS) {
    this.sliceEnd = performance.now() + firstSlice;
  }

  /** A promise to await, or undefined if there is no need to yield yet. */
  pause(): Promise<void> | undefined {
    if (performance.now() < this.sliceEnd) return undefined;
    return nextTurn().then(() => {
      this.sliceEnd = performance.now() + SLICE_MILLISECONDS;
    });
  }
}
