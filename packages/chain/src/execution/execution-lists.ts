import { BlockError } from "../faults.js";

/** One stretch of a block's transactions that shares a gas counter: [start, end). */
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
 * How a block's gas is divided: thirds where the sequential list gets at least its minimum, otherwise that minimum first
 * (`spec/02 §6.4`). `parallel` is the limit of every parallel list, whether or not the other one is used.
 */
export function listGasLimits(gasLimit: bigint, minimumSequentialGas: bigint): ListGasLimits {
  const third = gasLimit / 3n;
  let parallel = 0n;
  if (third >= minimumSequentialGas) parallel = third;
  else if (gasLimit > minimumSequentialGas) parallel = (gasLimit - minimumSequentialGas) / 2n;
  return { parallel, sequential: gasLimit - 2n * parallel };
}

/**
 * The lists of a block in order, the sequential one, which may be empty, last. Throws {@link BlockError}
 * `EXECUTION_EDGES` for edges that do not cut the transactions; the rule of `spec/02 §3.8` is stricter.
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
