import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

// `npm run coverage`: coverage of the unit tests, as a page. `npm run coverage -- consensus`: the lines of consensus
// that no vector and no story executes, wholly or in part, on the standard output. `test/coverage/README.md` explains
// the remaining ones.

/** Folders that determine consensus. */
const CONSENSUS = [
  ...["bridge", "contracts", "evm", "merged-mining", "state", "trie", "types"].map((name) => `packages/${name}/src/**`),
  "packages/chain/src/execution/**",
  "packages/chain/src/rules/**",
];

/** Files in these folders that serve users, operators, miners or storage. */
const OTHER_PURPOSES = [
  "packages/bridge/src/events/event-decoding.ts",
  "packages/bridge/src/report/**",
  "packages/chain/src/execution/candidate-state.ts",
  "packages/chain/src/execution/state-simulation.ts",
  "packages/contracts/src/state-editor/**",
  "packages/evm/src/ethereum/**",
  "packages/evm/src/ethereum-hardforks.ts",
  "packages/evm/src/step-tracing.ts",
  "packages/evm/src/time-limit.ts",
  "packages/merged-mining/src/block-template.ts",
  "packages/merged-mining/src/parent-block-building.ts",
  "packages/state/src/ethereumjs/**",
  "packages/state/src/forked-state.ts",
  "packages/state/src/state-layer.ts",
  "packages/trie/src/check.ts",
  "packages/trie/src/hash-set.ts",
  "packages/trie/src/nodes/node-cache.ts",
  "packages/trie/src/chunks/**",
  "packages/trie/src/stored-*.ts",
  "packages/types/src/impersonation.ts",
  "packages/types/src/packed-senders.ts",
  "packages/types/src/transaction-building.ts",
];

/** One file in the JSON that c8 writes, with numbers of executions: every line is a statement, every block a branch. */
interface FileCoverage {
  path: string;
  s: Record<string, number>;
  branchMap: Record<string, { locations: [{ start: Position; end: Position }] }>;
  b: Record<string, [number]>;
}

/** A position in a file; lines count from 1. */
interface Position {
  line: number;
  column: number;
}

function c8(...parameters: string[]): number {
  const { status } = spawnSync("npx", ["c8", "--src=packages", ...parameters], { stdio: ["ignore", 2, "inherit"] });
  return status ?? 1;
}

function unitTests(): number {
  return c8("--reporter=text-summary", "--reporter=html", "mocha", "packages/*/test/**/*.test.ts");
}

function consensus(): number {
  const folder = mkdtempSync(join(tmpdir(), "coverage-"));
  try {
    const status = c8(
      ...CONSENSUS.map((pattern) => `--include=${pattern}`),
      ...OTHER_PURPOSES.map((pattern) => `--exclude=${pattern}`),
      "--reporter=json",
      `--report-dir=${folder}`,
      `--temp-directory=${join(folder, "raw")}`,
      ...["node", "--import=tsx", "--import=@cambium/test-utils/sources", "test/coverage/vectors.ts"],
    );
    if (status === 0) print(JSON.parse(readFileSync(join(folder, "coverage-final.json"), "utf8")));
    return status;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function print(files: Readonly<Record<string, FileCoverage>>): void {
  let [total, parts] = [0, 0];
  for (const file of Object.values(files).sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const lines = readFileSync(file.path, "utf8").split("\n");
    const left = lines.flatMap((text, i) => (file.s[i] === 0 && isCode(text) ? [[i + 1, text.trim()] as const] : []));
    const marked = partsLeft(file, lines);
    total += left.length;
    parts += marked.length;
    const both = [...left, ...marked].sort(([a], [b]) => a - b).map(([line, text]) => `  ${line}: ${text}`);
    if (both.length > 0) console.log(`${relative(".", file.path)} (${both.length})\n${both.join("\n")}`);
  }
  console.log(`${total} lines of consensus, and «parts» of ${parts} others, are not executed by any vector or story.`);
}

/** Returns lines that are executed in part, with marks around the parts that are not. */
function partsLeft({ s, branchMap, b }: FileCoverage, lines: readonly string[]): (readonly [number, string])[] {
  const marked = new Map<number, string>();
  for (const [key, { locations }] of Object.entries(branchMap)) {
    const { start, end } = locations[0];
    if (b[key]![0] > 0 || s[start.line - 1] === 0) continue;
    const text = lines[start.line - 1]!;
    const until = end.line === start.line ? end.column : text.length;
    const part = text.slice(start.column, until);
    if (!isCode(part)) continue;
    const known = marked.get(start.line) ?? text.trim();
    marked.set(
      start.line,
      known.replace(part.trim(), () => `«${part.trim()}»`),
    );
  }
  return [...marked];
}

/** Whether a line is more than a bracket or a comment. */
function isCode(text: string): boolean {
  return /[A-Za-z0-9]/.test(text) && !/^\s*(\/[/*]|\*)/.test(text);
}

process.exitCode = process.argv[2] === "consensus" ? consensus() : unitTests();
