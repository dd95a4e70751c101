import { print, ReplacedLines } from "../output.js";
import type { ChainTally, MiningTally } from "./merged-miner.js";

/** Milliseconds between two redrawings of the table. */
const REDRAW_INTERVAL = 500;

/** Shows the progress of a merged miner: a table on a terminal, a line for each event elsewhere. */
export class MiningTable {
  private readonly lines: ReplacedLines;
  private last = "";
  private timer: NodeJS.Timeout | undefined;
  private readonly start = performance.now();

  constructor(
    stream: NodeJS.WriteStream,
    private readonly tally: () => MiningTally,
  ) {
    this.lines = new ReplacedLines(stream);
    if (stream.isTTY) this.timer = setInterval(() => this.draw(), REDRAW_INTERVAL).unref();
  }

  event(text: string): void {
    this.last = text;
    if (this.timer === undefined) print(text);
  }

  /** Leaves the table on the terminal. */
  close(): void {
    if (this.timer === undefined) return;
    clearInterval(this.timer);
    this.draw();
  }

  private draw(): void {
    this.lines.show(tableOf(this.tally(), performance.now() - this.start, this.last));
  }
}

/** Lines of the table; `elapsed` in milliseconds. */
export function tableOf(tally: MiningTally, elapsed: number, last: string): string[] {
  const { parent, child, hashes, workSince } = tally;
  const age = workSince === undefined ? "none" : `${((performance.now() - workSince) / 1000).toFixed(1)} s old`;
  const rate = Math.round((hashes * 1000) / Math.max(elapsed, 1)).toLocaleString("en");
  return [
    `${"".padEnd(12)}${["height", "accepted", "stale", "refused"].map((name) => name.padStart(10)).join("")}`,
    row("parent", parent),
    row("this chain", child),
    `work ${age}, ${rate} hashes a second`,
    ...[parent, child].flatMap(({ reasons }) => [...reasons].map(([reason, count]) => `  ${count} times: ${reason}`)),
    ...(last === "" ? [] : [last]),
  ];
}

function row(name: string, { height, accepted, stale, refused, away }: ChainTally): string {
  const numbers = [height, accepted, stale, refused].map((value) => (value?.toLocaleString("en") ?? "").padStart(10));
  return `${name.padEnd(12)}${numbers.join("")}${away === undefined ? "" : `  away: ${away}`}`;
}
