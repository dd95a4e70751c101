/** A command. It counts as the tests that mocha reports, or as one test if it reports none. */
export interface Stage {
  name: string;
  program: string;
  parameters: readonly string[];
  env?: Readonly<Record<string, string>> | undefined;
}

/** Stages that run one after the other. */
export type Track = readonly Stage[];

/**
 * Tests for full runs only: chains of thousands of blocks, many peers and waits for them, and every answer to published
 * libraries.
 */
const LONG = ["bridge-parsers", "clients", "hostile-peers", "partition", "snapshot", "sync"].map(
  (name) => `test/e2e/${name}.test.ts`,
);
/** An hour of a node's life: load, peers, reorganisations. Only in a full run. */
const SOAK = "test/fault/soak.test.ts";
/** Threads of five nodes that run out of memory. Only in a full run. */
const FAILING_THREADS = "test/fault/thread-failures.test.ts";
/** Variables of a full run: long tests run whole, and random tests try four times as much. */
const FULL_DEPTH = { FULL: "true", FUZZ_RUNS: "40000" };
const mocha = (...parameters: string[]) => ({ program: "mocha", parameters: ["--no-color", ...parameters] });

/** Two tracks keep two cores busy; stages that start processes are one after the other. */
const usualTracks = (env?: Stage["env"]): readonly Track[] => [
  [
    { name: "lint", program: "npm", parameters: ["run", "--silent", "lint"] },
    { name: "lint rules", ...mocha("test/lint/**/*.test.ts") },
    { name: "unit", ...mocha("packages/*/test/**/*.test.ts", "test/docs/**/*.test.ts"), env },
    { name: "random input", ...mocha("test/fuzz/**/*.test.ts"), env },
    { name: "worst blocks", program: "tsx", parameters: ["test/bench/worst-blocks/check.ts"] },
    { name: "small blocks", program: "tsx", parameters: ["test/bench/small-block/check.ts"] },
  ],
  [
    { name: "conformance", ...mocha("test/conformance/**/*.test.ts") },
    { name: "end-to-end", ...mocha("test/e2e/**/*.test.ts", ...LONG.map((file) => `--ignore=${file}`)), env },
    { name: "fault injection", ...mocha("test/fault/**/*.test.ts", `--ignore=${SOAK}`, `--ignore=${FAILING_THREADS}`) },
  ],
];

/** Stages of `npm test`. */
export const USUAL = usualTracks();

/** The same stages in `npm run test:full`. */
export const USUAL_DEEP = usualTracks(FULL_DEPTH);

/** Stages that `npm run test:full` adds. */
export const FULL: readonly Track[] = [
  [
    { name: "dependencies", program: "tsx", parameters: ["scripts/check-dependencies.ts"] },
    { name: "conformance, large", ...mocha("test/conformance/**/*.test.ts", "--grep=outside"), env: FULL_DEPTH },
    { name: "100 kills while importing", ...mocha("test/fault/kill.test.ts"), env: { KILLS: "100" } },
    { name: "1,000 damaged databases", ...mocha("test/fault/damage.test.ts"), env: { TRIALS: "1000" } },
    { name: "soak", ...mocha(SOAK) },
  ],
  [
    { name: "end-to-end, long", ...mocha(...LONG), env: FULL_DEPTH },
    { name: "50 kills while synchronising", ...mocha("test/fault/sync-kill.test.ts"), env: { KILLS: "100" } },
    { name: "failing threads", ...mocha(FAILING_THREADS) },
    { name: "20 kills while repairing", ...mocha("test/fault/repair-kill.test.ts"), env: { KILLS: "40" } },
  ],
];
