import { ManualClock } from "./manual-clock.js";

/**
 * A clock that advances with each turn of the event loop while a timer runs. Work without timers comes first, even on a
 * busy machine, and hours of waiting pass immediately.
 */
export class TurningClock extends ManualClock {
  private isTurning = false;

  /** @param perTurn Milliseconds. */
  constructor(private readonly perTurn = 1) {
    super();
  }

  override after(milliseconds: number, action: () => void): () => void {
    const cancel = super.after(milliseconds, action);
    this.turn();
    return cancel;
  }

  override every(milliseconds: number, action: () => void): () => void {
    const cancel = super.every(milliseconds, action);
    this.turn();
    return cancel;
  }

  private turn(): void {
    if (this.isTurning || this.pending === 0) return;
    this.isTurning = true;
    setImmediate(() => {
      this.isTurning = false;
      this.pass(this.perTurn);
      this.turn();
    });
  }
}

/**
 * Waits some turns of the event loop, enough for work that needs neither timers nor other threads. Work that has not
 * happened by then never happens.
 */
export async function settled(turns = 200): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
}
