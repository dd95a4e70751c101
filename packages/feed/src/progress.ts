import type { Logger } from "@cambium/primitives";
import type { BlockRows } from "./rows.js";

/** Milliseconds between two lines. */
const INTERVAL = 10_000;

/** Logs how fast blocks are fed, at most every ten seconds. */
export class Progress {
  private since = performance.now();
  private blocks = 0;
  private rows = 0;

  constructor(private readonly logger: Logger) {}

  fed(blocks: readonly BlockRows[], head: number): void {
    this.blocks += blocks.length;
    for (const { rows } of blocks) for (const table of Object.values(rows)) this.rows += table.length;
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
}
