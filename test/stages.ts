/** A command; a test a stage, or as many as mocha counts. */
export interface Stage {
  name: string;
  program: string;
  parameters: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** Stages that run one after the other. */
export type Track = readonly Stage[];

/** What only a full run has time for: chains of thousands of blocks, many peers, and waiting for what they do. */
const LONG = ["hostile-peers", "partition", "snapshot"].map((name) => `test/e2e/${name}.test.ts`);

const mocha = (...parameters: string[]) => ({ program: "mocha", parameters: ["--no-color", ...parameters] });
const UNIT = mocha("packages/*/test/**/*.test.ts");
const RANDOM = mocha("test/fuzz/**/*.test.ts");
/** Ten times the usual depth of random tests. */
const DEEP = { FUZZ_RUNS: "100000" };

/** `npm test`. Two tracks keep two cores busy; those that start processes are one after the other. */
export const USUAL: readonly Track[] = [
  [
    { name: "lint", program: "npm", parameters: ["run", "--silent", "lint"] },
    { name: "unit", ...UNIT },
  ],
  [
    { name: "conformance", ...mocha("test/conformance/**/*.test.ts") },
    { name: "random transactions", ...RANDOM },
    { name: "end-to-end", ...mocha("test/e2e/**/*.test.ts", ...LONG.map((file) => `--ignore=${file}`)) },
    { name: "fault injection", ...mocha("test/fault/**/*.test.ts") },
  ],
];

/** What `npm run test:full` adds. */
export const FULL: readonly Track[] = [
  [
    { name: "dependencies", program: "tsx", parameters: ["scripts/check-dependencies.ts"] },
    { name: "unit, deep", ...UNIT, env: DEEP },
  ],
  [
    { name: "random transactions, deep", ...RANDOM, env: DEEP },
    { name: "end-to-end, long", ...mocha(...LONG) },
    { name: "fault injection, 100 kills", ...mocha("test/fault/*kill.test.ts"), env: { KILLS: "100" } },
  ],
];
