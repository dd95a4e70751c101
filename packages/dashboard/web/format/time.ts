const STEPS: readonly (readonly [seconds: number, unit: string])[] = [
  [31_536_000, "y"],
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
];

/** The two largest units: `2 h 5 min`. */
export function duration(seconds: number): string {
  let rest = Math.max(Math.round(seconds), 0);
  const parts: string[] = [];
  for (const [size, unit] of STEPS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0 || parts.length > 0) parts.push(`${count} ${unit}`);
  }
  const [first = "0 s", second] = parts;
  return second === undefined || second.startsWith("0 ") ? first : `${first} ${second}`;
}

/** How long ago a time in seconds is; one in the future counts as now. */
export function age(timestamp: number, now = Date.now() / 1000): string {
  return `${duration(now - timestamp)} ago`;
}

/** Formats the age of a block; the genesis block's time is meaningless. */
export function blockAge({ number, timestamp }: { number: string; timestamp: string }): string {
  return Number(number) === 0 ? "–" : age(Number(timestamp));
}

/** `2026-01-31 12:00:00 UTC`. */
export function utc(timestamp: number): string {
  const date = new Date(timestamp * 1000);
  return Number.isNaN(date.getTime()) ? String(timestamp) : `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
