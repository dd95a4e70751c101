/** Writes a JSON document to standard output; a bigint becomes a decimal string. */
export function printJson(value: unknown): void {
  process.stdout.write(
    `${JSON.stringify(value, (_, member) => (typeof member === "bigint" ? member.toString() : member), 2)}\n`,
  );
}

/** Writes a JSON document on one line to standard output. */
export function printLine(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/**
 * A status line on standard error, so that standard output carries the result only. A terminal shows it updated in place;
 * a log file gets a new line at most every ten seconds.
 */
export class ProgressLine {
  private last = 0;
  private shown = false;

  constructor(private readonly stream: NodeJS.WriteStream = process.stderr) {}

  update(text: string): void {
    const now = Date.now();
    if (now - this.last < (this.stream.isTTY ? 200 : 10_000)) return;
    this.last = now;
    this.stream.write(this.stream.isTTY ? `\r\x1b[2K${text}` : `${text}\n`);
    this.shown = true;
  }

  /** Writes a line that stays, above the status. */
  note(text: string): void {
    this.done();
    this.stream.write(`${text}\n`);
  }

  done(): void {
    if (this.shown && this.stream.isTTY) this.stream.write("\r\x1b[2K");
  }
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
