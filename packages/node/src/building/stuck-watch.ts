import type { Clock } from "@cambium/primitives";
import type { BuildingSignals, ExecutionStep } from "./building-signals.js";

/** Milliseconds between two checks. */
const INTERVAL = 50;
/** Milliseconds of one execution after which block templates no longer wait for the thread. */
const PATIENCE = 250;
/** Milliseconds of one execution after which the thread is replaced. Only native code takes so long. */
const GRACE = 3_000;

export interface StuckListeners {
  /** Called when one transaction has taken the thread some time. */
  onLate(): void;
  /** Called when the thread does not end the execution of this transaction. */
  onStuck(transaction: number): void;
}

/** Measures how long a thread executes one transaction, while calls are in flight. */
export class StuckWatch {
  private calls = 0;
  private cancel: (() => void) | undefined;
  private last: ExecutionStep = { transaction: 0, step: 0 };
  private since = 0;
  private late = false;

  constructor(
    private readonly signals: BuildingSignals,
    private readonly listeners: StuckListeners,
    private readonly clock: Clock,
  ) {}

  /** Whether the thread has executed one transaction for some time, and still executes it. */
  get isLate(): boolean {
    return this.late;
  }

  /** Records the start of a call. */
  begin(): void {
    this.calls++;
    this.cancel ??= this.clock.every(INTERVAL, () => this.look());
  }

  /** Records the answer to a call. */
  end(): void {
    this.calls--;
    if (this.calls === 0) this.stop();
  }

  stop(): void {
    this.cancel?.();
    this.cancel = undefined;
    this.late = false;
    this.last = { transaction: 0, step: 0 };
  }

  private look(): void {
    const { transaction, step } = this.signals.execution;
    const now = this.clock.now();
    if (transaction === 0 || transaction !== this.last.transaction || step !== this.last.step) {
      this.last = { transaction, step };
      this.since = now;
      this.late = false;
      return;
    }
    const time = now - this.since;
    if (time >= GRACE) this.listeners.onStuck(transaction);
    else if (time >= PATIENCE && !this.late) {
      this.late = true;
      this.listeners.onLate();
    }
  }
}
