import { CambiumError } from "@cambium/primitives";

/**
 * The failed check of the proof-of-work rule (`spec/03 §3`, `§4`), or the reason why parent-chain bytes are malformed.
 */
export type MergedMiningFault =
  /** The header has no merged-mining hash (`spec/03 §2.3`). */
  | { code: "MERGED_MINING_HASH"; reason: string }
  | { code: "FALLBACK_SIGNATURE"; reason: string }
  | { code: "PROOF_MISSING" }
  | { code: "PROOF_TOO_LONG"; maximum: number; actual: number }
  | { code: "PROOF_FORMAT"; reason: string }
  | { code: "COINBASE_MISSING" }
  | { code: "COINBASE_SIZE"; actual: number }
  /** Declared length of the coinbase transaction, which must exceed 64 bytes. */
  | { code: "COINBASE_TOO_SHORT"; declared: bigint }
  | { code: "PARENT_HEADER_MISSING" }
  | { code: "PARENT_HEADER_SIZE"; expected: number; actual: number }
  | { code: "PARENT_TRANSACTIONS"; reason: string }
  | { code: "TARGET"; target: bigint; actual: bigint }
  | { code: "TAG_NOT_FOUND" }
  | { code: "TAG_TOO_FAR"; position: number }
  | { code: "TAG_NOT_LAST"; position: number; last: number }
  | { code: "TAG_TRAILING_BYTES"; maximum: number; actual: number }
  /** Two proof nodes that could be a 64-byte transaction. */
  | { code: "PROOF_LOOKS_LIKE_TRANSACTION" }
  | { code: "MERKLE_ROOT"; expected: Uint8Array; actual: Uint8Array }
  | { code: "COINBASE_NOT_PROVEN" }
  | { code: "FORK_DETECTION_ANCESTOR"; number: number }
  /** The uncle counts of the last 32 ancestors add up to a negative number of 32 bits. */
  | { code: "FORK_DETECTION_UNCLES"; sum: number }
  | { code: "FORK_DETECTION_DATA"; expected: Uint8Array; actual: Uint8Array }
  | { code: "TRANSACTION_IDS_EMPTY" }
  | { code: "NOT_SOLVED"; attempts: number };

export class MergedMiningError extends CambiumError<MergedMiningFault> {}
