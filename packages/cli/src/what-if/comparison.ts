import { toData } from "@cambium/primitives";
import type { OpcodeUse, RecordedRun, RecordedStep } from "./recorded-run.js";

/** The end of a run, as the report shows it. */
export interface ShownOutcome {
  status: "success" | "reverted" | "failed" | "refused";
  reason?: string;
  gasUsed?: number;
  /** Gas charged before the first step; absent if none was charged. */
  intrinsicGas?: number;
  output?: string;
  created?: string;
  logs?: { address: string; topics: string[]; data: string }[];
  steps: number;
}

/** The first steps with the same number that differ between two runs; one is undefined if its run ended before. */
export interface FirstDifference {
  index: number;
  here: RecordedStep | undefined;
  there: RecordedStep | undefined;
}

export interface Comparison {
  here: ShownOutcome;
  there: ShownOutcome;
  /** Whether status, output and logs are equal; gas may differ. */
  isSameOutcome: boolean;
  /** Undefined if both ran the same steps. */
  firstDifference: FirstDifference | undefined;
  /** Opcodes that cost more in all on one side, the largest difference first. */
  opcodes: { name: string; here: Use; there: Use }[];
}

type Use = Omit<OpcodeUse, "name">;

const NEVER: Use = { count: 0, gas: 0 };

/** Compares the same call under the rules of this chain, and under others. */
export function compareRuns(here: RecordedRun, there: RecordedRun, gasLimit: bigint): Comparison {
  const [ours, theirs] = [shownOutcome(here, gasLimit), shownOutcome(there, gasLimit)];
  return {
    here: ours,
    there: theirs,
    isSameOutcome: effectOf(ours) === effectOf(theirs),
    firstDifference: firstDifference(here, there),
    opcodes: differentOpcodes(here, there),
  };
}

function shownOutcome({ outcome, refusal, startGas, stepCount: steps }: RecordedRun, gasLimit: bigint): ShownOutcome {
  if (outcome === undefined) return { status: "refused", reason: refusal ?? "", steps };
  const { status, reverted, exception, gasUsed, output, created, logs } = outcome;
  return {
    status: status === 1 ? "success" : reverted ? "reverted" : "failed",
    ...(exception === undefined ? {} : { reason: exception.message }),
    gasUsed,
    ...(startGas === undefined ? {} : { intrinsicGas: Number(gasLimit) - startGas }),
    output: output === null ? "0x" : toData(output),
    ...(created === undefined ? {} : { created: toData(created) }),
    logs: logs.map(({ address, topics, data }) => ({
      address: toData(address),
      topics: topics.map(toData),
      data: toData(data),
    })),
    steps,
  };
}

function effectOf({ status, output, created, logs }: ShownOutcome): string {
  return JSON.stringify([status, output, created, logs]);
}

function firstDifference(here: RecordedRun, there: RecordedRun): FirstDifference | undefined {
  for (let index = 0; ; index++) {
    const [ours, theirs] = [here.stepAt(index), there.stepAt(index)];
    if (ours === undefined && theirs === undefined) return undefined;
    const isSame = ours?.depth === theirs?.depth && ours?.pc === theirs?.pc && ours?.op === theirs?.op;
    if (!isSame) return { index, here: ours, there: theirs };
  }
}

function differentOpcodes(here: RecordedRun, there: RecordedRun): Comparison["opcodes"] {
  const codes = new Set([...here.opcodes.keys(), ...there.opcodes.keys()]);
  const uses = [...codes].map((op) => {
    const [ours, theirs] = [here.opcodes.get(op), there.opcodes.get(op)];
    return { name: (ours ?? theirs)!.name, here: useOf(ours), there: useOf(theirs) };
  });
  const difference = ({ here: ours, there: theirs }: (typeof uses)[number]) => Math.abs(ours.gas - theirs.gas);
  return uses.filter((use) => difference(use) > 0).sort((a, b) => difference(b) - difference(a));
}

function useOf(use: OpcodeUse | undefined): Use {
  return use === undefined ? NEVER : { count: use.count, gas: use.gas };
}
