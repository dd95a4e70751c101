import { CambiumError } from "@cambium/primitives";
import type { Block } from "@cambium/types";

/**
 * What can go wrong around the chain, apart from an invalid block (a `BlockFault`) and a failing database (a
 * `DatabaseFault`).
 */
export type ChainFault =
  /** The database belongs to another network: genesis hashes differ. */
  | { code: "DATABASE_NETWORK"; expected: Uint8Array; actual: Uint8Array }
  /** The database was written by a newer version of the software, or holds something else. */
  | { code: "DATABASE_SCHEMA"; supported: number; actual: number }
  /** Something that must be there is not; `key` says what was looked for. */
  | { code: "DATABASE_DAMAGED"; what: string; key: Uint8Array }
  /**
   * Judging a block met an error that is neither the block's nor the database's: an error in this program. The block is
   * neither accepted nor invalid, and may be offered again. `reason` is the error with its stack.
   */
  | { code: "INTERNAL_FAULT"; number: number | null; hash: Uint8Array | null; reason: string }
  | { code: "CLOSED" }
  | { code: "UNKNOWN_BLOCK"; hash: Uint8Array }
  /** A block that came with a snapshot, or below it, is not the one that was asked for. */
  | { code: "SNAPSHOT_BLOCK"; number: number; hash: Uint8Array; reason: string }
  /** No snapshot is being installed, or its state is not complete. */
  | { code: "NO_SNAPSHOT" }
  /** The chain that a snapshot came from begins with another block or another difficulty than this network. */
  | {
      code: "HISTORY_MISMATCH";
      genesis: { expected: Uint8Array; actual: Uint8Array };
      totalDifficulty: { expected: bigint; actual: bigint };
    }
  /** A line of a block file is not `number,hash,totalDifficulty,rlp`; lines count from 1. */
  | { code: "BLOCK_FILE_LINE"; file: string; line: number; reason: string }
  /** A block file cannot be read or written. */
  | { code: "BLOCK_FILE"; file: string; reason: string };

export class ChainError extends CambiumError<ChainFault> {}

/** An unexpected error while `block` was judged, or while it was decoded. */
export function internalFault(error: unknown, block: Block | undefined): ChainError {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const { number = null, hash = null } = block ?? {};
  return new ChainError({ code: "INTERNAL_FAULT", number, hash, reason }, { cause: error });
}
