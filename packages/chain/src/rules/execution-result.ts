import type { Rules } from "@cambium/config";
import { equalBytes } from "@cambium/primitives";
import { encodedReceiptsRoot, type HeaderFields } from "@cambium/types";
import type { ExecutionResults } from "../execution/block-executor.js";
import { BlockError } from "../faults.js";

// Rules about the results of execution (spec/02 §3.9). No rule compares the executed transactions with the block's:
// execution either covers the whole block or fails.

/** Before RSKIP-126 the header's state root is not verified (`spec/02 §10`, Q4). */
export function stateRoot(header: Pick<HeaderFields, "stateRoot">, actual: Uint8Array, rules: Rules): void {
  const expected = header.stateRoot;
  if (rules.rskip126 && !equalBytes(expected, actual)) throw new BlockError({ code: "STATE_ROOT", expected, actual });
}

export function receiptsRoot(
  header: Pick<HeaderFields, "receiptsRoot">,
  execution: Pick<ExecutionResults, "receiptsRoot">,
  encodedReceipts: readonly Uint8Array[],
  rules: Rules,
): void {
  const expected = header.receiptsRoot;
  const actual = execution.receiptsRoot ?? encodedReceiptsRoot(encodedReceipts, rules);
  if (!equalBytes(expected, actual)) throw new BlockError({ code: "RECEIPTS_ROOT", expected, actual });
}

export function logsBloom(header: Pick<HeaderFields, "logsBloom">, actual: Uint8Array): void {
  const expected = header.logsBloom;
  if (!equalBytes(expected, actual)) throw new BlockError({ code: "LOGS_BLOOM", expected, actual });
}

export function gasUsed(header: Pick<HeaderFields, "gasUsed">, actual: number): void {
  const expected = header.gasUsed;
  if (expected !== actual) throw new BlockError({ code: "GAS_USED", expected, actual });
}

export function paidFees(header: Pick<HeaderFields, "paidFees">, actual: bigint): void {
  const expected = header.paidFees;
  if (expected !== actual) throw new BlockError({ code: "PAID_FEES", expected, actual });
}
