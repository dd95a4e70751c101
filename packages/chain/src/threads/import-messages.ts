import type { NetworkConfig } from "@cambium/config";
import type { LevelDatabaseOptions } from "@cambium/database";
import type { ImportResult, Reorganisation } from "../interface.js";

/** What the import thread is started with. */
export interface ImportThreadData {
  network: NetworkConfig;
  /** Folder of the database. */
  location: string;
  level?: LevelDatabaseOptions;
  nodeCacheCapacity?: number;
}

/** What the import thread does, in the order of the calls. */
export interface ImportMethods {
  /** A block as it travels; `senders` as `packSenders` has them, where they are known. */
  import(block: { encoded: Uint8Array; senders?: Uint8Array }): Promise<ImportResult>;
  rewind(hash: Uint8Array): Promise<void>;
  rememberInvalid(hash: Uint8Array): Promise<void>;
}

/** An event of the import thread: a `ChainEvent` by the hash of its block. */
export interface Announcement {
  kind: "newHead" | "reorg" | "sideBlock";
  hash: Uint8Array;
  number: number;
  reorganisation?: Reorganisation;
  /** As `packSenders` has them. */
  senders: Uint8Array;
}
