import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A command, which counts as one test or as many as mocha reports. */
export interface Stage {
  name: string;
  program: string;
  parameters: readonly string[];
  env?: Readonly<Record<string, string>>;
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
/** Pattern of imports of the modules that read these variables. */
const USES_DEPTH = /"@cambium\/test-utils\/(?:depth|properties)"/;

const mocha = (...parameters: string[]) => ({ program: "mocha", parameters: ["--no-color", ...parameters] });

/** Returns the tests below a folder that do more in a full run. */
function deeper(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".test.ts"));
  const paths = names.map((name) => join(folder, name));
  return paths.filter((path) => USES_DEPTH.test(readFileSync(path, "utf8"))).toSorted();
}

const unitTests = () => readdirSync("packages").flatMap((name) => deeper(`packages/${name}/test`));

/** `npm test`. Two tracks keep two cores busy; stages that start processes are one after the other. */
export const USUAL: readonly Track[] = [
  [
    { name: "lint", program: "npm", parameters: ["run", "--silent", "lint"] },
    { name: "lint rules", ...mocha("test/lint/**/*.test.ts") },
    { name: "unit", ...mocha("packages/*/test/**/*.test.ts", "test/docs/**/*.test.ts") },
    { name: "random input", ...mocha("test/fuzz/**/*.test.ts") },
    { name: "worst blocks", program: "tsx", parameters: ["test/bench/worst-blocks/check.ts"] },
    { name: "small blocks", program: "tsx", parameters: ["test/bench/small-block/check.ts"] },
  ],
  [
    { name: "conformance", ...mocha("test/conformance/**/*.test.ts") },
    { name: "end-to-end", ...mocha("test/e2e/**/*.test.ts", ...LONG.map((file) => `--ignore=${file}`)) },
    { name: "fault injection", ...mocha("test/fault/**/*.test.ts", `--ignore=${SOAK}`, `--ignore=${FAILING_THREADS}`) },
  ],
];

/** Stages that `npm run test:full` adds. */
export const FULL: readonly Track[] = [
  [
    { name: "dependencies", program: "tsx", parameters: ["scripts/check-dependencies.ts"] },
    { name: "unit, deep", ...mocha(...unitTests()), env: FULL_DEPTH },
    { name: "random input, deep", ...mocha("test/fuzz/**/*.test.ts"), env: FULL_DEPTH },
    { name: "conformance, large", ...mocha("test/conformance/**/*.test.ts", "--grep=outside"), env: FULL_DEPTH },
    { name: "soak", ...mocha(SOAK) },
  ],
  [
    { name: "end-to-end, long", ...mocha(...LONG, ...deeper("test/e2e")), env: FULL_DEPTH },
    { name: "50 kills while synchronising", ...mocha("test/fault/sync-kill.test.ts"), env: { KILLS: "100" } },
    { name: "failing threads", ...mocha(FAILING_THREADS) },
    { name: "100 kills while importing", ...mocha("test/fault/kill.test.ts"), env: { KILLS: "100" } },
    { name: "1,000 damaged databases", ...mocha("test/fault/damage.test.ts"), env: { TRIALS: "1000" } },
    { name: "20 kills while repairing", ...mocha("test/fault/repair-kill.test.ts"), env: { KILLS: "40" } },
  ],
];
