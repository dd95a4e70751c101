import type { RejectionCode } from "@cambium/evm";
import { CambiumError } from "@cambium/primitives";
import type { TransactionField } from "@cambium/types";

/**
 * Why a block cannot be imported: one code for each rule of `spec/02 §3`, with the values that violate it. `index` is
 * the position in the block's list of transactions, or in its list of uncles for the `UNCLE_…` codes. Rules are pure
 * functions that throw {@link BlockError}; `BlockFault` is its details.
 */
export type BlockFault = DecodingFault | HeaderFault | BodyFault | UncleFault | ExecutionFault;

/** The bytes cannot be decoded as a block. */
export type DecodingFault = { code: "DECODING"; reason: string };

/** Violated rules about a header and its parent. */
export type HeaderFault =
  | { code: "GENESIS_NUMBER" }
  | { code: "PROOF_OF_WORK"; reason: string }
  | { code: "TIMESTAMP_FUTURE"; latest: bigint; actual: bigint }
  | { code: "TIMESTAMP_PARENT_CHAIN"; parentChainTime: bigint | null; window: number; actual: bigint }
  | { code: "TIMESTAMP_PARENT"; parent: bigint; actual: bigint }
  | { code: "PARENT_NUMBER"; expected: number; actual: number }
  | { code: "DIFFICULTY"; expected: bigint; actual: bigint }
  | { code: "MINIMUM_GAS_PRICE_STEP"; lowest: bigint; highest: bigint; actual: bigint | null }
  | { code: "GAS_LIMIT_STEP"; lowest: bigint; highest: bigint; actual: bigint }
  | { code: "GAS_LIMIT_MINIMUM"; minimum: bigint; actual: bigint }
  | { code: "EXTRA_DATA_SIZE"; maximum: number; actual: number }
  | { code: "FORK_DETECTION_DATA"; reason: string };

/** Violated rules about the body of a block. */
export type BodyFault =
  | { code: "TRANSACTION_FIELDS"; index: number; field: TransactionField; reason: string }
  | { code: "TRANSACTION_NONCE"; index: number; expected: bigint; actual: bigint }
  | { code: "TRANSACTION_GAS_PRICE_MINIMUM"; index: number; minimum: bigint; actual: bigint }
  | { code: "TRANSACTION_GAS_PRICE_CAP"; index: number; maximum: bigint; actual: bigint }
  | { code: "TRANSACTIONS_ROOT"; expected: Uint8Array; actual: Uint8Array }
  | { code: "REWARD_TRANSACTION" }
  | { code: "EXECUTION_EDGES"; reason: EdgesReason }
  | { code: "UNCLES_HASH"; expected: Uint8Array; actual: Uint8Array };

export type EdgesReason = "absent" | "too-many" | "not-positive" | "not-ascending" | "out-of-bounds";

/** Violated rules about uncles. A {@link HeaderFault} of an uncle is reported as `UNCLE_HEADER`. */
export type UncleFault =
  | { code: "UNCLE_LIST_SIZE"; maximum: number; actual: number }
  | { code: "UNCLE_HEADER"; index: number; rule: HeaderFault["code"]; reason: string }
  | { code: "UNCLE_GAS_USED"; index: number; gasLimit: bigint; actual: number }
  | { code: "UNCLE_NUMBER"; index: number; lowest: number; highest: number; actual: number }
  | { code: "UNCLE_DUPLICATE"; index: number }
  | { code: "UNCLE_IS_ANCESTOR"; index: number }
  | { code: "UNCLE_ALREADY_USED"; index: number }
  | { code: "UNCLE_PARENT"; index: number; parentHash: Uint8Array };

/** A transaction cannot be executed, or a result differs from the header. */
export type ExecutionFault =
  | { code: "EXECUTION"; index: number; reason: RejectionCode }
  | { code: "EXECUTION_SEQUENTIAL_ONLY"; index: number; contract: Uint8Array }
  | { code: "EXECUTION_COLLISION" }
  | { code: "GAS_LIMIT_RANGE"; actual: bigint }
  | { code: "STATE_ROOT"; expected: Uint8Array; actual: Uint8Array }
  | { code: "RECEIPTS_ROOT"; expected: Uint8Array; actual: Uint8Array }
  | { code: "LOGS_BLOOM"; expected: Uint8Array; actual: Uint8Array }
  | { code: "GAS_USED"; expected: number; actual: number }
  | { code: "PAID_FEES"; expected: bigint; actual: bigint };

export class BlockError extends CambiumError<BlockFault> {}

/**
 * Subject of a fault, which decides its treatment:
 * - `block`: every block with this hash has the fault, permanently. The hash may be remembered as invalid.
 * - `encoding`: another encoding with the same hash may be valid. The sender is at fault, but the hash must not be
 *   remembered, or the valid block would be rejected forever.
 * - `node`: neither the block nor its sender is known to be at fault.
 */
export type FaultSubject = "block" | "encoding" | "node";

const SUBJECTS: { readonly [Code in BlockFault["code"]]: FaultSubject } = {
  // The hash covers the lists only through their roots, and the received bytes may not match those.
  DECODING: "encoding",
  TRANSACTIONS_ROOT: "encoding",
  UNCLES_HASH: "encoding",
  // The hash excludes the Merkle proof and the parent-chain coinbase from RSKIP-92 on (`spec/01 §2.2`).
  PROOF_OF_WORK: "encoding",
  FORK_DETECTION_DATA: "encoding",
  // Clocks differ (`spec/07 §D.8`).
  TIMESTAMP_FUTURE: "node",
  // A rule for relaying only: imported blocks need not satisfy it (`spec/02 §10`, Q2).
  TIMESTAMP_PARENT: "node",
  // All others concern the hashed part of the header, its ancestors, or lists already verified against the header.
  GENESIS_NUMBER: "block",
  TIMESTAMP_PARENT_CHAIN: "block",
  PARENT_NUMBER: "block",
  DIFFICULTY: "block",
  MINIMUM_GAS_PRICE_STEP: "block",
  GAS_LIMIT_STEP: "block",
  GAS_LIMIT_MINIMUM: "block",
  EXTRA_DATA_SIZE: "block",
  TRANSACTION_FIELDS: "block",
  TRANSACTION_NONCE: "block",
  TRANSACTION_GAS_PRICE_MINIMUM: "block",
  TRANSACTION_GAS_PRICE_CAP: "block",
  REWARD_TRANSACTION: "block",
  EXECUTION_EDGES: "block",
  UNCLE_LIST_SIZE: "block",
  // The uncles hash covers full headers with their proofs; `faultSubject` handles headers from the future.
  UNCLE_HEADER: "block",
  UNCLE_GAS_USED: "block",
  UNCLE_NUMBER: "block",
  UNCLE_DUPLICATE: "block",
  UNCLE_IS_ANCESTOR: "block",
  UNCLE_ALREADY_USED: "block",
  UNCLE_PARENT: "block",
  EXECUTION: "block",
  EXECUTION_SEQUENTIAL_ONLY: "block",
  EXECUTION_COLLISION: "block",
  GAS_LIMIT_RANGE: "block",
  STATE_ROOT: "block",
  RECEIPTS_ROOT: "block",
  LOGS_BLOOM: "block",
  GAS_USED: "block",
  PAID_FEES: "block",
};

/** Returns the subject of the fault of a received block. */
export function faultSubject(fault: BlockFault): FaultSubject {
  if (fault.code === "UNCLE_HEADER" && fault.rule === "TIMESTAMP_FUTURE") return SUBJECTS.TIMESTAMP_FUTURE;
  return SUBJECTS[fault.code];
}
