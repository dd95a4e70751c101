import { CambiumError } from "@cambium/primitives";

/** What can go wrong around the chain, apart from a block being invalid (that is a `BlockFault`). */
export type ChainFault =
  /** The directory cannot be opened as a database, or another process holds it. */
  | { code: "DATABASE_OPEN"; location: string; reason: string }
  /** The database belongs to another network: genesis hashes differ. */
  | { code: "DATABASE_NETWORK"; expected: Uint8Array; actual: Uint8Array }
  /** The database was written by a newer version of the software, or holds something else. */
  | { code: "DATABASE_SCHEMA"; supported: number; actual: number }
  /** Something that must be there is not; `key` says what was looked for. */
  | { code: "DATABASE_DAMAGED"; what: string; key: Uint8Array }
  /** A batch could not be written; the chain accepts no more blocks until it is opened again. */
  | { code: "DATABASE_WRITE"; reason: string }
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
  | { code: "BLOCK_FILE"; file: string; reason: string }
  /** The thread that recovers senders ended by itself. */
  | { code: "WORKER_FAILED"; reason: string };

export class ChainError extends CambiumError<ChainFault> {}
