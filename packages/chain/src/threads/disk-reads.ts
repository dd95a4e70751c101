/** Number of reads over which the average is taken, weighted towards the latest ones. */
const READS = 256;

/** Which share of the reads of a thread waits for the disk. */
export class DiskReads {
  constructor(
    /** Microseconds from which on a read counts as one of the disk. */
    private readonly minTime: number,
    /** Of the latest reads; until there are enough of them, mostly what is given here. */
    public share: number,
  ) {}

  note(microseconds: number): void {
    this.share += ((microseconds >= this.minTime ? 1 : 0) - this.share) / READS;
  }
}
