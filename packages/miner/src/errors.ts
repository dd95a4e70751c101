import { CambiumError } from "@cambium/primitives";

/** Why work cannot be given out or a solution cannot be taken (`spec/03 §7.4`). */
export type MinerFault =
  /** The server is stopped, or has not built anything yet. */
  | { code: "NO_WORK" }
  | { code: "RATE_LIMITED" }
  /** No template is kept for what the coinbase carries. */
  | { code: "UNKNOWN_WORK"; hashForMergedMining: Uint8Array }
  | {
      code: "INVALID_PROOF";
      blockHash: Uint8Array;
      hashForMergedMining: Uint8Array;
      number: number;
      reason: string;
    }
  /** Bytes that are no parent-chain header, transaction, block or hash list. */
  | { code: "MALFORMED"; what: string; reason: string }
  | { code: "MERKLE_HASHES_EMPTY" }
  /** A configured value that cannot be used. */
  | { code: "OPTION"; option: string; reason: string }
  /** The built-in miner's own block was not taken: what the chain said. */
  | { code: "NOT_MINED"; result: string }
  /** A block to build on that is not stored. */
  | { code: "UNKNOWN_PARENT"; hash: Uint8Array };

export class MinerError extends CambiumError<MinerFault> {}
