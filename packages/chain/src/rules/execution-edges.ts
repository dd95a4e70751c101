import { hasExecutionLists, PARALLEL_LISTS, type Rules } from "@cambium/config";
import type { HeaderFields } from "@cambium/types";
import { BlockError, type EdgesReason } from "../faults.js";

/**
 * Ends of the parallel execution lists (RSKIP-144, `spec/02 §3.8`). At least the last transaction, the reward, belongs
 * to the sequential list.
 */
export function executionEdges(
  header: Pick<HeaderFields, "executionEdges">,
  transactionCount: number,
  rules: Rules,
): void {
  if (!hasExecutionLists(rules)) return;
  const reason = wrongEdges(header.executionEdges, transactionCount);
  if (reason !== undefined) throw new BlockError({ code: "EXECUTION_EDGES", reason });
}

function wrongEdges(edges: readonly number[] | null, transactionCount: number): EdgesReason | undefined {
  if (edges === null) return "absent";
  if (edges.length === 0) return undefined;
  if (edges.length > PARALLEL_LISTS) return "too-many";
  if (edges[0]! <= 0) return "not-positive";
  if (edges.some((edge, i) => i > 0 && edge <= edges[i - 1]!)) return "not-ascending";
  return edges.at(-1)! > transactionCount - 1 ? "out-of-bounds" : undefined;
}
