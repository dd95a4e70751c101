/** Work in steps: a generator that yields after each. */
export type Steps = Iterator<void>;

const SLICE_MILLISECONDS = 5;

/**
 * Number of items whose order of arrival is kept. Further work is done immediately, so that the queue stays bounded.
 */
const CAPACITY = 256;

/**
 * Does work in the order of its arrival, for one time slice in each turn of the event loop. Work that fits into the
 * first slice is done immediately.
 */
export class SlicedWork {
  private readonly queue: Steps[] = [];
  private turn: NodeJS.Immediate | undefined;

  add(work: Steps): void {
    this.queue.push(work);
    if (this.turn === undefined) this.run();
    while (this.queue.length > CAPACITY) this.finishFirst();
  }

  close(): void {
    clearImmediate(this.turn);
    this.turn = undefined;
    this.queue.length = 0;
  }

  private run(): void {
    this.turn = undefined;
    const end = performance.now() + SLICE_MILLISECONDS;
    while (this.queue.length > 0) {
      if (this.queue[0]!.next().done === true) this.queue.shift();
      if (performance.now() >= end) break;
    }
    if (this.queue.length > 0) this.turn = setImmediate(() => this.run());
  }

  private finishFirst(): void {
    const work = this.queue.shift()!;
    while (work.next().done !== true);
  }
}
