import { reverseBytes, toHex } from "@cambium/primitives";
import { encodeParentBlock, type ParentBlock } from "./parent-block.js";

/** The three ways to submit a solution (`mnr_submit…`). */
export const SUBMISSION_METHODS = ["block", "transactions", "partial-merkle"] as const;
export type SubmissionMethod = (typeof SUBMISSION_METHODS)[number];

/** JSON-RPC method and parameters that submit a parent block; hex without prefix (`spec/03 §7.3`). */
export function submissionRequest(method: SubmissionMethod, block: ParentBlock): [method: string, params: string[]] {
  if (method === "block") return ["mnr_submitParentChainBlock", [toHex(encodeParentBlock(block))]];
  const { header, transactions, ids, siblings } = block;
  // The first parameter is the block hash, which nodes ignore.
  const start = ["00".repeat(32), toHex(header), toHex(transactions[0]!)];
  if (method === "transactions") {
    const displayed = ids.map((id) => toHex(reverseBytes(id)));
    return ["mnr_submitParentChainBlockTransactions", [...start, displayed.join(" ")]];
  }
  const branch = [ids[0]!, ...siblings].map(toHex).join(" ");
  return ["mnr_submitParentChainBlockPartialMerkle", [...start, branch, ids.length.toString(16)]];
}
