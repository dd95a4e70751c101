import { ManualClock } from "./manual-clock.js";

/**
 * A clock that advances with each turn of the event loop while a timer runs. What takes no timer comes first, however
 * busy the machine is, and hours of waiting pass at once.
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
 * Lets work finish that waits for neither timers nor other threads: it is over after some turns of the event loop. What
 * has not happened by then does not happen.
 */
export async function settled(turns = 200): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
}
