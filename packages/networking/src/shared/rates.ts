import type { TokenRate } from "@cambium/primitives";

/** A rate for each peer, and `total` tokens in the same window for all peers together if it is given. */
export interface RateBound extends TokenRate {
  total?: number;
}

/** On development networks tests mine blocks at any speed. */
export const DEVELOPMENT_FACTOR = 50;

/** The same bound with `factor` times as many tokens. */
export function scaled({ tokens, window, total }: RateBound, factor: number): RateBound {
  return { tokens: tokens * factor, window, ...(total === undefined ? {} : { total: total * factor }) };
}

/** A record with the same names and changed values. */
export function mapValues<Name extends string, From, To>(
  record: Readonly<Record<Name, From>>,
  change: (value: From) => To,
): Record<Name, To> {
  const entries = Object.entries(record) as [Name, From][];
  return Object.fromEntries(entries.map(([name, value]) => [name, change(value)])) as Record<Name, To>;
}
