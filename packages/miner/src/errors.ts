import { CambiumError } from "@cambium/primitives";

/** Reasons why a template cannot be served or a solution is rejected (`spec/03 §7.4`). */
export type MinerFault =
  /** The server is stopped, or has not built a template yet. */
  | { code: "NO_WORK" }
  | { code: "RATE_LIMITED" }
  /** The template of the hash in the coinbase is not cached. */
  | { code: "UNKNOWN_WORK"; hashForMergedMining: Uint8Array }
  | {
      code: "INVALID_PROOF";
      blockHash: Uint8Array;
      hashForMergedMining: Uint8Array;
      number: number;
      reason: string;
    }
  /** Malformed parent-chain header, transaction, block or hash list. */
  | { code: "MALFORMED"; what: string; reason: string }
  | { code: "MERKLE_HASHES_EMPTY" }
  /** An invalid configuration value. */
  | { code: "OPTION"; option: string; reason: string }
  /** The chain did not import a block of the built-in miner; `result` is the import result or fault. */
  | { code: "NOT_MINED"; result: string }
  /** A timestamp for the next block that is not later than that of the best block. */
  | { code: "TIMESTAMP"; timestamp: bigint; latest: bigint }
  /** A gas limit that no block can have. */
  | { code: "GAS_LIMIT"; limit: bigint; lowest: bigint; highest: bigint }
  /** The block that should edit the state does not contain the edit. */
  | { code: "NOT_EDITED"; number: number }
  /** The chain has fewer blocks than should be removed. */
  | { code: "DEPTH"; depth: number; height: number }
  /** The block to build on is not stored. */
  | { code: "UNKNOWN_PARENT"; hash: Uint8Array }
  /** A newer best block, or the end of mining, preceded the end of the build. */
  | { code: "BUILD_ABANDONED" };

export class MinerError extends CambiumError<MinerFault> {}
