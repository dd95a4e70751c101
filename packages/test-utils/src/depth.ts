const USUAL_FUZZ_RUNS = 10_000;

/** Number of inputs of a fuzz test: the environment variable `FUZZ_RUNS`, or a default suitable for unit tests. */
export const FUZZ_RUNS = Number(process.env.FUZZ_RUNS ?? USUAL_FUZZ_RUNS);

/** Scales the `count` runs of a property in proportion to `FUZZ_RUNS`. */
export function runs(count: number): number {
  return Math.max(1, Math.ceil((count * FUZZ_RUNS) / USUAL_FUZZ_RUNS));
}

/**
 * The part of a long test that a usual run has time for, or with `FULL=true`, as `npm run test:full` sets it, all of
 * it.
 */
export function atDepth<Usual, Full>(usual: Usual, full: Full): Usual | Full {
  return process.env.FULL === "true" ? full : usual;
}
