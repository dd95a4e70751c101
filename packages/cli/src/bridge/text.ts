/** An amount with eight decimals. */
export function coin(satoshi: bigint): string {
  return `${satoshi / 100_000_000n}.${String(satoshi % 100_000_000n).padStart(8, "0")}`;
}

/** A line with a name and a value. */
export function row(name: string, value: string | number | bigint): string {
  return `${name.padEnd(26)} ${value}`;
}

export function blockLine({ number, hash }: { number: number; hash: string }): string {
  return `after block ${number} ${hash}`;
}
