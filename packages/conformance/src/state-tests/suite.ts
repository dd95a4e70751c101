import { createChainEvm } from "@cambium/chain";
import { NETWORKS, type NetworkConfig } from "@cambium/config";
import type { Evm } from "@cambium/evm";
import type { CaseResult, VectorFile, VectorSuite } from "../interface.js";
import { buildPreState } from "./accounts.js";
import { type AncestorLists, parseAncestorLists } from "./ancestors.js";
import { compareRun } from "./comparison.js";
import { executeRun } from "./execution.js";
import type { StateTest, StateTestRun } from "./format.js";

const ANCESTORS_FILE = "ancestors.json";

/** Transaction execution: `vectors/state-tests/README.md`. One case a run. */
export const stateTestsSuite: VectorSuite = {
  name: "state-tests",
  accepts,
  run: runFiles,
};

function accepts(file: VectorFile): boolean {
  if (file.name === ANCESTORS_FILE) return file.folder === "state-tests";
  if (!file.name.endsWith(".jsonl")) return false;
  if (file.folder === "state-tests" || file.folder === "gst") return true;
  const start = file.text().slice(0, 1 << 20);
  return start.startsWith('{"name":') && start.includes('"preRoot":') && start.includes('"runs":');
}

function* runFiles(files: readonly VectorFile[]): Iterable<CaseResult> {
  const ancestors = parseAncestorLists(files.find((file) => file.name === ANCESTORS_FILE));
  const machines = { main: machineOf(NETWORKS.main), regtest: machineOf(NETWORKS.local) };
  for (const file of files) {
    if (file.name === ANCESTORS_FILE) continue;
    for (const line of file.text().split("\n")) {
      if (line !== "") yield* runTest(JSON.parse(line) as StateTest, machines, ancestors);
    }
  }
}

interface NetworkMachine {
  network: NetworkConfig;
  evm: Evm;
}

function machineOf(network: NetworkConfig): NetworkMachine {
  return { network, evm: createChainEvm(network) };
}

function* runTest(
  test: StateTest,
  machines: Record<StateTestRun["network"], NetworkMachine>,
  ancestors: AncestorLists,
): Iterable<CaseResult> {
  const pre = buildPreState(test.pre);
  for (const run of test.runs) {
    const name = `${test.name}/${run.id}`;
    const { network, evm } = machines[run.network];
    try {
      const actual = executeRun({ test, run, network, evm, pre: pre.view, ancestors });
      const differences = pre.root === test.preRoot ? compareRun(run, actual) : [`preRoot ${pre.root}`];
      if (differences.length === 0) yield { name, outcome: "passed" };
      else yield { name, outcome: "failed", reason: differences.join("; ") };
    } catch (error) {
      yield {
        name,
        outcome: "failed",
        reason: error instanceof Error ? (error.stack ?? error.message) : String(error),
      };
    }
  }
}
