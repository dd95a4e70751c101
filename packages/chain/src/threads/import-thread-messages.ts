import type { NetworkConfig } from "@cambium/config";
import { DatabaseError, type DatabaseFault, type LevelDatabaseOptions } from "@cambium/database";
import { ChainError, type ChainFault } from "../errors.js";
import type { ImportResult, Reorganisation } from "../interface.js";

/** What the import thread is started with. */
export interface ImportThreadData {
  network: NetworkConfig;
  /** Folder of the database. */
  location: string;
  level?: LevelDatabaseOptions;
  nodeCacheCapacity?: number;
}

/** To the import thread, taken in the order in which it is sent. */
export type ImportRequest =
  /** A block as it travels; `senders` as `packSenders` has them, where they are known. */
  | { kind: "import"; id: number; encoded: Uint8Array; senders?: Uint8Array }
  | { kind: "rewind"; id: number; hash: Uint8Array }
  | { kind: "remember-invalid"; id: number; hash: Uint8Array }
  /** The listeners have heard of everything sent before `deleting`. */
  | { kind: "heard" }
  | { kind: "close" };

/** From the import thread. Events come before the result of what caused them. */
export type ImportMessage =
  /** The database is open and has a genesis block. */
  | { kind: "ready" }
  | { kind: "refused"; failure: Failure }
  | { kind: "event"; event: Announcement }
  | { kind: "result"; id: number; result: ImportResult }
  | { kind: "done"; id: number }
  | { kind: "failed"; id: number; failure: Failure }
  /** Abandoned blocks are about to be deleted; waits for `heard`. */
  | { kind: "deleting" }
  | { kind: "closed" };

/** A `ChainEvent` by the hash of its block. */
export interface Announcement {
  kind: "newHead" | "reorg" | "sideBlock";
  hash: Uint8Array;
  number: number;
  reorganisation?: Reorganisation;
  /** As `packSenders` has them. */
  senders: Uint8Array;
}

/** An error as plain data. */
export type Failure = { chain: ChainFault } | { database: DatabaseFault } | { unexpected: string };

export function failureOf(error: unknown): Failure {
  if (error instanceof ChainError) return { chain: error.details };
  if (error instanceof DatabaseError) return { database: error.details };
  return { unexpected: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

export function errorOf(failure: Failure): Error {
  if ("chain" in failure) return new ChainError(failure.chain);
  if ("database" in failure) return new DatabaseError(failure.database);
  return new Error(failure.unexpected);
}
