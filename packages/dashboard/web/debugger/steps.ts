import { callAlone } from "../node/client.js";
import type { Hex } from "../node/types.js";

/** One step, as the default tracer of `debug_traceTransaction` returns it. */
export interface Step {
  pc: number;
  op: string;
  gas: number;
  gasCost: number;
  depth: number;
  error?: string;
  stack?: readonly string[];
  memory?: readonly string[];
  returnData?: string;
}

export interface Steps {
  /** Number of all steps. */
  steps: number;
  structLogs: readonly Step[];
}

/** A part of the steps of a transaction; `isWhole` adds stack, memory and return data. */
export async function readSteps(hash: Hex, offset: number, limit: number, isWhole: boolean): Promise<Steps> {
  const found = await callAlone<Steps>("debug_traceTransaction", hash, {
    offset,
    limit,
    disableStorage: true,
    disableStack: !isWhole,
    enableMemory: isWhole,
    enableReturnData: isWhole,
  });
  if (found.steps === undefined) throw new Error("This node returns all steps at once, which are too many for a page");
  return found;
}
