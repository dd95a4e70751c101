import type { Clock } from "@cambium/primitives";
import { SpeedMeter } from "../shared/speed-meter.js";

/** The present step; `idle` if there is none. */
export type SnapshotStep = "idle" | "choosing" | "headers" | "state" | "blocks" | "history";

/** Progress of a snapshot, or of the history below it. */
export interface SnapshotProgressReport {
  step: SnapshotStep;
  /** Number of the snapshot's block; undefined while it is being chosen. */
  block: number | undefined;
  /** Progress in the step: bytes of the state, otherwise headers or blocks. */
  done: number;
  total: number;
  /** Speed over the last half minute, in the same unit. */
  perSecond: number;
  /** Number of chunks of the state a second; 0 in other steps. */
  chunksPerSecond: number;
  /** Number of peers that serve snapshots. */
  peers: number;
  /** Remaining time in seconds; undefined if unknown. */
  timeLeft: number | undefined;
  /** Reason for a lack of progress; undefined if there is progress. */
  waitingFor: string | undefined;
}

/** Measures the progress of one step after the other. */
export class SnapshotMeter {
  private step: SnapshotStep = "idle";
  private block: number | undefined;
  private done = 0;
  private total = 0;
  waitingFor: string | undefined;
  private readonly speed: SpeedMeter;

  constructor(
    clock: Clock,
    private readonly chunkBytes: number,
  ) {
    this.speed = new SpeedMeter(clock);
  }

  begin(step: SnapshotStep, block?: number): void {
    Object.assign(this, { step, block, done: 0, total: 0 });
    this.speed.restart();
  }

  /** Records progress. Work done before the step began does not count as speed. */
  note(done: number, total: number): void {
    if (this.total > 0 && done > this.done) this.speed.count(done - this.done);
    Object.assign(this, { done, total, waitingFor: undefined });
  }

  report(peers: number): SnapshotProgressReport {
    const { step, block, done, total, waitingFor } = this;
    const { perSecond } = this.speed;
    const timeLeft = perSecond > 0 && total > 0 ? (total - done) / perSecond : undefined;
    const chunksPerSecond = step === "state" ? perSecond / this.chunkBytes : 0;
    return { step, block, done, total, perSecond, chunksPerSecond, peers, timeLeft, waitingFor };
  }
}
