import { BlockError } from "../faults.js";

/** A range [start, end) of a block's transactions that shares a gas counter. */
export interface ExecutionList {
  kind: "parallel" | "sequential";
  start: number;
  end: number;
  gasLimit: bigint;
}

/** Gas limits of each parallel list and of the sequential one (RSKIP-144). */
export interface ListGasLimits {
  parallel: bigint;
  sequential: bigint;
}

/**
 * Divides a block's gas into thirds, or, if that would leave the sequential list less than its minimum, reserves the
 * minimum first (`spec/02 §6.4`). `parallel` is the limit of each parallel list, even if only one is used.
 */
export function listGasLimits(gasLimit: bigint, minimumSequentialGas: bigint): ListGasLimits {
  const third = gasLimit / 3n;
  let parallel = 0n;
  if (third >= minimumSequentialGas) parallel = third;
  else if (gasLimit > minimumSequentialGas) parallel = (gasLimit - minimumSequentialGas) / 2n;
  return { parallel, sequential: gasLimit - 2n * parallel };
}

/**
 * The lists of a block in order; the sequential one is last and may be empty. Throws {@link BlockError}
 * `EXECUTION_EDGES` if the edges do not divide the transactions; the rule of `spec/02 §3.8` is stricter.
 */
export function executionLists(
  edges: readonly number[],
  transactionCount: number,
  limits: ListGasLimits,
): ExecutionList[] {
  const lists: ExecutionList[] = [];
  let start = 0;
  for (const end of edges) {
    if (end < start) throw new BlockError({ code: "EXECUTION_EDGES", reason: "not-ascending" });
    if (end > transactionCount) throw new BlockError({ code: "EXECUTION_EDGES", reason: "out-of-bounds" });
    lists.push({ kind: "parallel", start, end, gasLimit: limits.parallel });
    start = end;
  }
  lists.push({ kind: "sequential", start, end: transactionCount, gasLimit: limits.sequential });
  return lists;
}
