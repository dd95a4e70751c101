import { keccak256, toData } from "@cambium/primitives";
import { encodeReceipt, type Log } from "@cambium/types";
import type { ActualResult, ExecutedBlock } from "../block-execution.js";
import type { StoryBlock, StoryResult } from "./format.js";

export interface StoryOutcome extends ExecutedBlock {
  postRoot: Uint8Array;
}

/** The first field of a block that is not as expected, or undefined if all are. */
export function storyDifference(expected: StoryBlock, actual: StoryOutcome): string | undefined {
  for (const [index, result] of expected.results.entries()) {
    const difference = resultDifference(result, actual.results[index]!);
    if (difference !== undefined) return `tx ${index} ${difference}`;
  }
  return (
    differentField("receiptsRoot", toData(actual.receiptsRoot), expected.receiptsRoot) ??
    differentField("postRoot", toData(actual.postRoot), expected.postRoot)
  );
}

function resultDifference(expected: StoryResult, actual: ActualResult): string | undefined {
  if ("rejected" in expected) return "outcome" in actual ? "is accepted instead of rejected" : undefined;
  if (!("outcome" in actual)) return `is rejected (${actual.rejected}) instead of accepted`;
  const { outcome, receipt } = actual;
  const output = outcome.output ?? new Uint8Array(0);
  const fields: [field: string, actual: unknown, expected: unknown][] = [
    ["status", outcome.status, expected.status],
    ["gasUsed", BigInt(outcome.gasUsed), expected.gasUsed],
    ["paidFees", outcome.fee, expected.paidFees],
    expected.outputHash === undefined
      ? ["output", toData(output), expected.output ?? "0x"]
      : ["outputHash", toData(keccak256(output)), expected.outputHash],
    ["logs", JSON.stringify(expected.logs && outcome.logs.map(logRecord)), JSON.stringify(expected.logs)],
    ["receiptHash", toData(keccak256(encodeReceipt(receipt))), expected.receiptHash],
  ];
  for (const [field, value, wanted] of fields) {
    const difference = differentField(field, value, wanted);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

/** A log as recorded. */
export function logRecord({ address, topics, data }: Log): { address: string; topics: string[]; data: string } {
  return { address: toData(address), topics: topics.map(toData), data: toData(data) };
}

export function differentField(field: string, actual: unknown, expected: unknown): string | undefined {
  return actual === expected ? undefined : `${field} is ${shorten(actual)} instead of ${shorten(expected)}`;
}

function shorten(value: unknown): string {
  const text = String(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
