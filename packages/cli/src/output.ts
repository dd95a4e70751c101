/** Writes a JSON document to standard output; a bigint becomes a decimal string. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, withDecimals, 2)}\n`);
}

/** {@link printJson} on one line. */
export function printLine(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, withDecimals)}\n`);
}

function withDecimals(_: string, member: unknown): unknown {
  return typeof member === "bigint" ? member.toString() : member;
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The name of a file in messages; `-` is standard input. */
export function fileName(file: string): string {
  return file === "-" ? "standard input" : file;
}

/** `1 block`, `2 blocks`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** `10,000`: by hand, because a first use of `toLocaleString` takes as long as a tenth of a start. */
export function grouped(value: bigint): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `[######------]`; a share from 0 to 1. */
export function progressBar(share: number, width: number): string {
  const full = Math.floor(Math.min(Math.max(share, 0), 1) * width);
  return `[${"#".repeat(full)}${"-".repeat(width - full)}]`;
}

/** Milliseconds between two updates of a terminal, and between two lines of a file. */
const TERMINAL_PAUSE = 100;
const LINE_PAUSE = 10_000;
const BAR_WIDTH = 24;
const USUAL_COLUMNS = 80;

/** Lines of a terminal that are replaced in place, cut at its width. */
export class ReplacedLines {
  private count = 0;

  constructor(private readonly stream: NodeJS.WriteStream) {}

  show(lines: readonly string[]): void {
    const columns = (this.stream.columns || USUAL_COLUMNS) - 1;
    const up = this.count === 0 ? "" : `\x1b[${this.count}A`;
    this.stream.write(`${up}\x1b[J${lines.map((line) => `${line.slice(0, columns)}\n`).join("")}`);
    this.count = lines.length;
  }
}

/**
 * Shows the progress of a command on standard error, so that standard output contains only the result. A terminal shows
 * a bar that is updated in place; a file gets a new line at most every ten seconds.
 */
export class ProgressLine {
  private last: number;
  private shown = false;
  private latest: { text: string; share: number | undefined } | undefined;

  constructor(private readonly stream: NodeJS.WriteStream = process.stderr) {
    this.last = stream.isTTY ? Number.NEGATIVE_INFINITY : performance.now();
  }

  /** `share` of the work, from 0 to 1, if it is known. */
  update(text: string, share?: number): void {
    this.latest = { text, share };
    const now = performance.now();
    if (now - this.last < (this.stream.isTTY ? TERMINAL_PAUSE : LINE_PAUSE)) return;
    this.last = now;
    this.show(this.latest);
  }

  /** Writes a line that stays, above the progress. */
  note(text: string): void {
    this.clear();
    this.stream.write(`${text}\n`);
  }

  /** Leaves the bar on the terminal. */
  done(): void {
    if (!this.shown || !this.stream.isTTY || this.latest === undefined) return;
    this.show(this.latest);
    this.stream.write("\n");
    this.shown = false;
  }

  private show({ text, share }: { text: string; share: number | undefined }): void {
    const percent = share === undefined ? "" : `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;
    if (this.stream.isTTY) {
      this.clear();
      this.stream.write(lineWithBar(text, share, percent, (this.stream.columns || USUAL_COLUMNS) - 1));
    } else {
      this.stream.write(share === undefined ? `${text}\n` : `${percent}: ${text}\n`);
    }
    this.shown = true;
  }

  private clear(): void {
    if (this.shown && this.stream.isTTY) this.stream.write("\r\x1b[2K");
  }
}

/** A line of at most `columns` with a bar, which is shorter if the text is long. */
function lineWithBar(text: string, share: number | undefined, percent: string, columns: number): string {
  if (share === undefined) return text.slice(0, columns);
  const rest = ` ${percent.padStart(7)}  ${text}`;
  const width = Math.min(BAR_WIDTH, columns - rest.length - "[]".length);
  return `${width > 0 ? progressBar(share, width) : ""}${rest}`.slice(0, columns);
}

/** `1h 02m 03s`, without leading zero parts. */
export function formatDuration(seconds: number): string {
  const s = Math.round(seconds);
  const parts: [number, string][] = [
    [Math.floor(s / 3600), "h"],
    [Math.floor(s / 60) % 60, "m"],
    [s % 60, "s"],
  ];
  while (parts.length > 1 && parts[0]![0] === 0) parts.shift();
  return parts.map(([value, unit], i) => `${i === 0 ? value : String(value).padStart(2, "0")}${unit}`).join(" ");
}
