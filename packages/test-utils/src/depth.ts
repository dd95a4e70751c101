const USUAL_FUZZ_RUNS = 10_000;

/** Number of inputs of a fuzz test: the environment variable `FUZZ_RUNS`, or a default suitable for unit tests. */
export const FUZZ_RUNS = Number(process.env.FUZZ_RUNS ?? USUAL_FUZZ_RUNS);

/** Scales the `count` runs of a property in proportion to `FUZZ_RUNS`. */
export function runs(count: number): number {
  return Math.max(1, Math.ceil((count * FUZZ_RUNS) / USUAL_FUZZ_RUNS));
}

/** Selects the usual part of a long test, or all of it with `FULL=true`, which `npm run test:full` sets. */
export function atDepth<Usual, Full>(usual: Usual, full: Full): Usual | Full {
  return process.env.FULL === "true" ? full : usual;
}
