import type { TokenRate } from "@cambium/primitives";

/** A rate for each peer. `total`, if present, is the number of tokens in the same window for all peers together. */
export interface RateBound extends TokenRate {
  total?: number;
}

/** Factor of the rates on development networks, where tests mine blocks at any speed. */
export const DEVELOPMENT_FACTOR = 50;

/** Returns the same bound with `factor` times as many tokens. */
export function scaled({ tokens, window, total }: RateBound, factor: number): RateBound {
  return { tokens: tokens * factor, window, ...(total === undefined ? {} : { total: total * factor }) };
}

/** Returns a record with the same names and changed values. */
export function mapValues<Name extends string, From, To>(
  record: Readonly<Record<Name, From>>,
  change: (value: From) => To,
): Record<Name, To> {
  const entries = Object.entries(record) as [Name, From][];
  return Object.fromEntries(entries.map(([name, value]) => [name, change(value)])) as Record<Name, To>;
}
