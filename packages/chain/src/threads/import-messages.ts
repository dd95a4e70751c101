import type { BlockHistoryOptions, FlatStateOptions, Reorganisation, StateLayout } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import type { BatchLogOptions, LevelDatabaseOptions } from "@cambium/database";
import type { BlockInput, BlockSource } from "../import/block-input.js";
import type { ImportResult } from "../interface.js";

/** Start-up data of the import thread. */
export interface ImportThreadData {
  network: NetworkConfig;
  /** Directory of the database. */
  location: string;
  level?: LevelDatabaseOptions;
  log?: BatchLogOptions | undefined;
  nodeCacheCapacity?: number;
  stateLayout?: StateLayout;
  flatState?: FlatStateOptions;
  blockHistory?: BlockHistoryOptions;
}

/** An input without its decoded parts: copying them to another thread costs more than decoding them there. */
export type PostedInput = Omit<BlockInput, "header" | "block">;

/** Methods of the import thread, which run in the order of the calls. */
export interface ImportMethods {
  import(input: PostedInput): Promise<ImportResult>;
  rewind(hash: Uint8Array): Promise<void>;
  rememberInvalid(hash: Uint8Array): Promise<void>;
}

/** A `ChainEvent` with the hash instead of the block, as plain data. */
export interface PlainChainEvent {
  kind: "newHead" | "reorg" | "sideBlock";
  hash: Uint8Array;
  number: number;
  source: BlockSource;
  reorganisation?: Reorganisation;
}
