import type { CaseResult, VectorFile, VectorSuite } from "../interface.js";
import { type FederationScriptsFile, runFederationScripts } from "./federation-scripts.js";
import { type ReleaseBuilderFile, runReleaseBuilds } from "./release-builds.js";
import { type ReleaseOrderFile, runReleaseOrders } from "./release-orders.js";
import { runTraces, type TraceFile } from "./traces.js";

type Json = Readonly<Record<string, unknown>>;

/** Recognises the format of a file by its content. */
const FORMATS = {
  trace: (c: Json) => isListWith(c.steps, "data", "blockNumber", "bridgeGas"),
  scripts: (c: Json) => isListWith(c.federations, "memberBtcKeys", "redeemScript"),
  builds: (c: Json) => isListWith(c.cases, "utxos", "feePerKb"),
  orders: (c: Json) => isListWith(c.cases, "storedWithHash", "iterationOrder"),
} as const;

/** The bridge contract, method by method: `test/vectors/bridge`. */
export const bridgeSuite: VectorSuite = {
  name: "bridge",

  accepts(file) {
    if (!file.name.endsWith(".json")) return false;
    if (file.folder === "bridge") return true;
    const start = file.text().slice(0, 4096);
    return start.includes('"bridgeGas"') || start.includes('"memberBtcKeys"') || start.includes('"iterationOrder"');
  },

  *run(files) {
    const traces: TraceFile[] = [];
    for (const file of files) {
      const content = JSON.parse(file.text()) as Json;
      if (FORMATS.trace(content)) traces.push({ name: stem(file), ...(content as unknown as Omit<TraceFile, "name">) });
      else yield* runFile(file, content);
    }
    yield* runTraces(traces);
  },
};

function runFile(file: VectorFile, content: Json): Iterable<CaseResult> {
  if (FORMATS.scripts(content)) return runFederationScripts(content as unknown as FederationScriptsFile);
  if (FORMATS.builds(content)) return runReleaseBuilds(content as unknown as ReleaseBuilderFile);
  if (FORMATS.orders(content)) return runReleaseOrders(content as unknown as ReleaseOrderFile);
  return [{ name: file.name, outcome: "failed", reason: "unknown format" }];
}

function stem(file: VectorFile): string {
  return file.name.replace(/\.json$/, "");
}

/** Whether a value is a list whose first element has all these members. */
function isListWith(value: unknown, ...members: readonly string[]): boolean {
  if (!Array.isArray(value) || typeof value[0] !== "object" || value[0] === null) return false;
  return members.every((member) => member in (value[0] as object));
}
