/** Milliseconds over which the speed of reads is measured. */
const WINDOW = 3_000;
/** Milliseconds after the start of a thread in which it and the caches warm up. */
const SETTLING = 1_000;
/** Times as fast as without prefetching that reads must be with it: it takes processor time and memory, too. */
const MIN_GAIN = 1.1;
/** Milliseconds after which the result is doubted. After a refusal, a thread would have to be started again. */
const KEPT = 60_000;
const REFUSED = 600_000;

/**
 * - `off`: the import does not wait for the disk
 * - `without`: it does; the speed of its reads is measured
 * - `starting`: with prefetching, not measured yet
 * - `with`: the speed is measured again
 * - `kept`, `refused`: the result
 */
type Phase = "off" | "without" | "starting" | "with" | "kept" | "refused";

/**
 * Finds out whether prefetching is worth it, which depends on the disk, the cores and the memory: the import reads for a time without it, then
 * with it, and it is kept if reads then follow each other faster.
 */
export class PrefetchTrial {
  private phase: Phase = "off";
  /** Beginning of the phase, in milliseconds, and reads since. */
  private since = 0;
  private reads = 0;
  private speedWithout = 0;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Whether to prefetch. */
  get isOn(): boolean {
    return this.phase === "starting" || this.phase === "with" || this.phase === "kept";
  }

  get isRefused(): boolean {
    return this.phase === "refused";
  }

  /** Notes a read of the import. `isWaiting`: whether many of its latest reads wait for the disk. */
  note(isWaiting: boolean): void {
    this.reads++;
    const time = this.now() - this.since;
    if (this.phase === "off" && isWaiting) this.begin("without");
    else if (this.phase === "without" && time >= WINDOW) {
      this.speedWithout = this.reads / time;
      this.begin("starting");
    } else if (this.phase === "with" && time >= WINDOW) {
      this.begin(this.reads / time >= MIN_GAIN * this.speedWithout ? "kept" : "refused");
    } else if (this.phase === "kept" && time >= KEPT) this.begin("without");
    else if (this.phase === "refused" && time >= REFUSED) this.end();
  }

  /** Notes that a block was read ahead. */
  advance(): void {
    if (this.phase === "starting" && this.now() - this.since >= SETTLING) this.begin("with");
  }

  /** To be called when nothing waits for the disk any more. */
  end(): void {
    this.begin("off");
  }

  private begin(phase: Phase): void {
    this.phase = phase;
    this.since = this.now();
    this.reads = 0;
  }
}
