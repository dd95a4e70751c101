/** A queue of outgoing messages. */
export interface Flushable {
  flush(): void;
}

const SLICE_MILLISECONDS = 5;

/**
 * Flushes many outboxes, for one time slice in each turn of the event loop: a block with thousands of subscribers does
 * not delay requests.
 */
export class Flusher {
  private readonly waiting = new Set<Flushable>();
  private isScheduled = false;

  add(outbox: Flushable): void {
    this.waiting.add(outbox);
    if (!this.isScheduled) this.schedule();
  }

  private schedule(): void {
    this.isScheduled = true;
    setImmediate(() => this.run());
  }

  private run(): void {
    this.isScheduled = false;
    const end = performance.now() + SLICE_MILLISECONDS;
    for (const outbox of this.waiting) {
      this.waiting.delete(outbox);
      outbox.flush();
      if (performance.now() >= end) break;
    }
    if (this.waiting.size > 0) this.schedule();
  }
}
