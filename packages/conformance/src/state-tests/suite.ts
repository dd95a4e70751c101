import { toData } from "@cambium/primitives";
import type { KeyedStateView } from "@cambium/state";
import { type AncestorLists, parseAncestorLists } from "../ancestors.js";
import { failed } from "../comparison.js";
import { describeError } from "../errors.js";
import type { CaseResult, VectorFile, VectorSuite } from "../interface.js";
import { parseLines, someFirstLine } from "../lines.js";
import { machineOf } from "../networks.js";
import { buildPreState } from "../pre-state.js";
import { compareRun } from "./comparison.js";
import { executeRun } from "./execution.js";
import type { StateTest, StateTestRun } from "./format.js";

const ANCESTORS_FILE = "ancestors.json";

/** Transaction execution (`test/vectors/state-tests/README.md`). One case per run. */
export const stateTestsSuite: VectorSuite = {
  name: "state-tests",
  accepts,
  run: runFiles,
};

async function accepts(file: VectorFile): Promise<boolean> {
  if (file.name === ANCESTORS_FILE) return file.folder === "state-tests";
  if (!/\.(jsonl|cases)$/.test(file.name)) return false;
  if (file.folder === "state-tests" || file.folder === "gst") return true;
  return someFirstLine(file, (line) => line.includes('"preRoot":') && line.includes('"runs":'));
}

async function* runFiles(files: readonly VectorFile[]): AsyncIterable<CaseResult> {
  const ancestors = parseAncestorLists(files.find((file) => file.name === ANCESTORS_FILE));
  for (const file of files) {
    if (file.name === ANCESTORS_FILE) continue;
    for await (const parsed of parseLines(file, (json) => json as StateTest)) {
      const name = `${file.name}:${parsed.line}`;
      if ("fault" in parsed) yield failed(name, parsed.fault);
      else yield* runTest(name, parsed.value, ancestors);
    }
  }
}

function* runTest(place: string, test: StateTest, ancestors: AncestorLists): Iterable<CaseResult> {
  let pre: KeyedStateView;
  try {
    pre = buildPreState(test.pre);
  } catch (error) {
    yield failed(place, `no state before: ${describeError(error)}`);
    return;
  }
  for (const run of test.runs) yield runCase(`${test.name}/${run.id}`, test, run, pre, ancestors);
}

function runCase(
  name: string,
  test: StateTest,
  run: StateTestRun,
  pre: KeyedStateView,
  ancestors: AncestorLists,
): CaseResult {
  try {
    const actual = executeRun({ test, run, ...machineOf(run.network), pre, ancestors });
    const root = toData(pre.root);
    const differences = root === test.preRoot ? compareRun(run, actual) : [`preRoot ${root}`];
    return differences.length === 0 ? { name, outcome: "passed" } : failed(name, differences.join("; "));
  } catch (error) {
    return failed(name, describeError(error));
  }
}
