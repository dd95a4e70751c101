import { OUT_OF_GAS } from "./errors.js";
import type { Execution } from "./execution.js";
import type { Memory } from "./memory.js";

/** Gas between two checks for an interruption: a loop without storage uses it in some 100 microseconds. */
const CHECK_INTERVAL = 16_384;

/** Checks for an interruption; the gas below which the next check is due. */
export function nextFloor(gas: number, execution: Execution): number {
  execution.checkInterruption();
  return execution.isInterruptible ? Math.max(0, gas - CHECK_INTERVAL) : 0;
}

/** Makes memory accessible up to `end`; returns the gas left. */
export function growMemory(memory: Memory, end: number, gas: number, { costs }: Execution): number {
  const left = gas - memory.expansionGas(end, costs);
  if (left < 0) throw OUT_OF_GAS;
  memory.grow(end);
  return left;
}
