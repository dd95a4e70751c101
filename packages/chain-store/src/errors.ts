import { CambiumError } from "@cambium/primitives";
import type { Block } from "@cambium/types";

/**
 * Failures of a chain, other than an invalid block (`BlockFault`) and a failing database (`DatabaseFault`).
 */
export type ChainFault =
  /** The database belongs to another network: the genesis hashes differ. */
  | { code: "DATABASE_NETWORK"; expected: Uint8Array; actual: Uint8Array }
  /** The database has an unsupported schema version, or is not a database of this node. */
  | { code: "DATABASE_SCHEMA"; supported: number; actual: number }
  /** The database stores states in another layout (`StateLayout`). */
  | { code: "STATE_LAYOUT"; expected: string; actual: string }
  /** A required entry is missing or unreadable; `key` is its database key. */
  | { code: "DATABASE_DAMAGED"; what: string; key: Uint8Array }
  /**
   * An unexpected error during the validation of a block: a bug in this program, not a fault of the block or the
   * database. The block is neither accepted nor invalid and may be imported again. `reason` is the error with its
   * stack.
   */
  | { code: "INTERNAL_FAULT"; number: number | null; hash: Uint8Array | null; reason: string }
  /** A peer's block appears to be invalid while the tables of the database are verified. It may be imported again. */
  | { code: "UNDECIDED" }
  /** The disk has no room for a repaired copy of the database; sizes in bytes. */
  | { code: "REPAIR_SPACE"; folder: string; needed: number; available: number }
  /** The best chain has no block with this number and a state to which it can be rewound. */
  | { code: "REWIND_TARGET"; number: number; lowest: number; best: number }
  | { code: "CLOSED" }
  | { code: "UNKNOWN_BLOCK"; hash: Uint8Array }
  /**
   * The state after the block is not stored: it is older than the state history, or would require the trie of an old
   * state.
   */
  | { code: "STATE_UNAVAILABLE"; number: number }
  /**
   * The body and the receipts of a known block are no longer stored: it is older than the block `oldest`, which is.
   */
  | { code: "BLOCK_PRUNED"; number: number; oldest: number }
  /** The installation of a snapshot is in progress, so that the database has no state to prune. */
  | { code: "SNAPSHOT_UNFINISHED" }
  /** A block of a snapshot or below it is not the expected one. */
  | { code: "SNAPSHOT_BLOCK"; number: number; hash: Uint8Array; reason: string }
  /** No snapshot is being installed, or its state is not complete. */
  | { code: "NO_SNAPSHOT" }
  /**
   * The chain of a snapshot does not lead to a trusted block, or its total difficulty there is not between `least` and
   * `most`. The trusted block is genesis unless `number` is higher. `hash` is undefined if the total difficulty shows
   * the fault before that block is reached.
   */
  | {
      code: "HISTORY_MISMATCH";
      number: number;
      hash: { expected: Uint8Array; actual: Uint8Array } | undefined;
      totalDifficulty: { expected: bigint; least: bigint; most: bigint };
    }
  /**
   * The source of a fork could not be read, or its answer is wrong. `source` is its URL without keys (`shownUrl`), or
   * its folder; `what` is the method or object read.
   */
  | { code: "FORK_SOURCE"; source: string; what: string; reason: string }
  /** A line of a block file is not `number,hash,totalDifficulty,rlp`; lines count from 1. */
  | { code: "BLOCK_FILE_LINE"; file: string; line: number; reason: string }
  /**
   * A block file begins with a block of another network's chain. `actual` is its name, undefined if it is unknown, and
   * `evidence` tells how the block shows it.
   */
  | {
      code: "OTHER_NETWORK";
      file: string;
      line: number;
      expected: string;
      actual: string | undefined;
      evidence: string;
    }
  /** A block file cannot be read, from the line after `afterLine` on, or written. */
  | { code: "BLOCK_FILE"; file: string; afterLine?: number; reason: string };

export class ChainError extends CambiumError<ChainFault> {}

/** An unexpected error while `block` was decoded or validated. */
export function internalFault(error: unknown, block: Block | undefined): ChainError {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const { number = null, hash = null } = block ?? {};
  return new ChainError({ code: "INTERNAL_FAULT", number, hash, reason }, { cause: error });
}
