import type { Logger } from "@cambium/primitives";
import type { BlockRows } from "./rows.js";

/** Milliseconds between two log lines. */
const INTERVAL = 10_000;

/** Logs the speed and the total of fed blocks, at most every ten seconds, and what the feed waits for. */
export class Progress {
  private since = performance.now();
  private blocks = 0;
  private rows = 0;
  private readonly total = { blocks: 0, rows: 0, last: undefined as number | undefined };
  private isWaiting = false;

  constructor(private readonly logger: Logger) {}

  fed(blocks: readonly BlockRows[], head: number): void {
    const rows = blocks
      .flatMap(({ rows: byTable }) => Object.values(byTable))
      .reduce((sum, { length }) => sum + length, 0);
    this.blocks += blocks.length;
    this.rows += rows;
    this.total.blocks += blocks.length;
    this.total.rows += rows;
    this.total.last = blocks.at(-1)?.number;
    const now = performance.now();
    if (now - this.since < INTERVAL) return;
    const seconds = (now - this.since) / 1000;
    const { number } = blocks.at(-1)!;
    const details = { block: number, head, blocksPerSecond: this.blocks / seconds, rowsPerSecond: this.rows / seconds };
    const speed = `${details.blocksPerSecond.toFixed(1)} blocks/s, ${details.rowsPerSecond.toFixed(0)} rows/s`;
    const distance = head > number ? `${head - number} below the best block` : "the best block";
    this.logger.info({ progress: details }, `Fed block ${number}, ${distance}; ${speed}`);
    [this.since, this.blocks, this.rows] = [now, 0, 0];
  }

  /** Logs once, if confirmations are required, which block the node must reach before the next block is fed. */
  waits(next: number, confirmations: number, head: number): void {
    if (this.isWaiting || confirmations === 0) return;
    this.isWaiting = true;
    this.logger.info(
      { block: next, head, confirmations },
      `Block ${next} is fed at block ${next + confirmations}, after ${confirmations} confirmations; the node is at block ` +
        `${head}, and --confirmations changes it`,
    );
  }

  end(): void {
    const { blocks, rows, last } = this.total;
    const summary =
      blocks === 0 ? "Fed no block" : `Fed ${blocks} block${blocks === 1 ? "" : "s"} up to ${last}, ${rows} rows`;
    this.logger.info({ blocks, rows, last }, summary);
  }
}
