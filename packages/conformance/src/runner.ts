import { dirname } from "node:path";
import { append } from "@cambium/primitives";
import { bridgeSuite } from "./bridge/suite.js";
import { chainsSuite } from "./chains/suite.js";
import { collectVectorFiles } from "./files.js";
import { headerRulesSuite } from "./header-rules/suite.js";
import type { CaseResult, VectorFile, VectorSuite } from "./interface.js";
import { mergedMiningSuite } from "./merged-mining/suite.js";
import { publishedStateSuite } from "./published-state/suite.js";
import { rlpxSuite } from "./rlpx/suite.js";
import { rpcSuite } from "./rpc/suite.js";
import { scenariosSuite } from "./scenarios/suite.js";
import { stateTestsSuite } from "./state-tests/suite.js";
import { storiesSuite } from "./stories/suite.js";
import { transactionFieldsSuite } from "./transaction-fields/suite.js";
import { trapsSuite } from "./traps/suite.js";

/** The supported formats, in the order in which they are tried on a file. */
const SUITES: readonly VectorSuite[] = [
  publishedStateSuite,
  storiesSuite,
  trapsSuite,
  headerRulesSuite,
  transactionFieldsSuite,
  mergedMiningSuite,
  bridgeSuite,
  stateTestsSuite,
  scenariosSuite,
  chainsSuite,
  rpcSuite,
  rlpxSuite,
];

/** Results of one folder of vectors. */
export interface FolderReport {
  folder: string;
  suite: string;
  passed: number;
  failed: number;
  pending: number;
  failures: { name: string; reason: string }[];
  pendingCases: { name: string; reason: string }[];
}

export type Totals = Pick<FolderReport, "passed" | "failed" | "pending" | "failures">;

/**
 * Runs all vectors at or below `paths`. Files that no suite recognises are returned as `ignored`. `onProgress` receives
 * the folder and its number of cases so far. Throws `ConformanceError` for a path that is missing or unreadable.
 */
export async function runConformance(
  paths: readonly string[],
  onProgress: (folder: string, cases: number) => void = () => {},
): Promise<{ reports: FolderReport[]; ignored: string[] }> {
  const groups = new Map<string, { suite: VectorSuite; folder: string; files: VectorFile[] }>();
  const ignored: string[] = [];
  const files = collectVectorFiles(paths);
  const known = new Set(files.map(({ path }) => path));
  // Files that belong to a named one are appended while the list is run through.
  for (const file of files) {
    const suite = await suiteOf(file);
    if (suite === undefined) {
      ignored.push(file.path);
      continue;
    }
    const companions = suite.companionsOf?.(file).filter((path) => !known.has(path)) ?? [];
    for (const other of collectVectorFiles(companions)) {
      known.add(other.path);
      files.push(other);
    }
    const folder = suite.groupOf?.(file) ?? dirname(file.path);
    const group = [...groups.values()].find((one) => one.suite === suite && `${folder}/`.startsWith(`${one.folder}/`));
    if (group !== undefined) group.files.push(file);
    else groups.set(`${suite.name} ${folder}`, { suite, folder, files: [file] });
  }
  const reports: FolderReport[] = [];
  for (const { suite, folder, files } of groups.values()) {
    reports.push(await runFolder(suite, folder, files, onProgress));
  }
  return { reports, ignored };
}

async function suiteOf(file: VectorFile): Promise<VectorSuite | undefined> {
  for (const suite of SUITES) if (await suite.accepts(file)) return suite;
  return undefined;
}

async function runFolder(
  suite: VectorSuite,
  folder: string,
  files: readonly VectorFile[],
  onProgress: (folder: string, cases: number) => void,
): Promise<FolderReport> {
  const report: FolderReport = {
    folder,
    suite: suite.name,
    passed: 0,
    failed: 0,
    pending: 0,
    failures: [],
    pendingCases: [],
  };
  let cases = 0;
  for await (const result of suite.run(files)) {
    count(report, result);
    onProgress(folder, ++cases);
  }
  return report;
}

function count(report: FolderReport, { name, outcome, reason = "no reason given" }: CaseResult): void {
  report[outcome]++;
  if (outcome === "failed") report.failures.push({ name, reason });
  if (outcome === "pending") report.pendingCases.push({ name, reason });
}

export function totals(reports: readonly FolderReport[]): Totals {
  const all: Totals = { passed: 0, failed: 0, pending: 0, failures: [] };
  for (const report of reports) {
    all.passed += report.passed;
    all.failed += report.failed;
    all.pending += report.pending;
    append(all.failures, report.failures);
  }
  return all;
}
