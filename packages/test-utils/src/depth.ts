const USUAL_FUZZ_RUNS = 10_000;

/** Inputs of a fuzz test: the environment's `FUZZ_RUNS`, or few enough for a unit test. */
export const FUZZ_RUNS = Number(process.env.FUZZ_RUNS ?? USUAL_FUZZ_RUNS);

/** Runs of a property that a unit test checks `count` times: more in the proportion in which `FUZZ_RUNS` is raised. */
export function runs(count: number): number {
  return Math.max(1, Math.ceil((count * FUZZ_RUNS) / USUAL_FUZZ_RUNS));
}
