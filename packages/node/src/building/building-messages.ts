import type { NetworkConfig } from "@cambium/config";
import type { BlockBuilderOptions, TransactionFault } from "@cambium/miner";
import type { HeaderFields } from "@cambium/types";
import type { PoolUpdate } from "./pool-mirror.js";

/** What blocks are built with; plain data. */
export type BuildingOptions = Omit<BlockBuilderOptions, "minimumGasPrice"> & {
  /** Where the minimum gas price should go, in wei. */
  minimumGasPrice: bigint;
};

/** What a thread that builds blocks is started with. */
export interface BuildingThreadData {
  network: NetworkConfig;
  /** Folder of the chain's database. */
  location: string;
  nodeCacheCapacity: number;
  options: BuildingOptions;
  /** Shared with the thread: number of the latest build that was abandoned. */
  abandoned: Int32Array;
}

/** A block to execute on, and what on it. */
export interface PendingWork {
  parentHash: Uint8Array;
  pool: PoolUpdate;
}

export interface BuildCall extends PendingWork {
  /** Grows with each build. */
  number: number;
  /** Seconds. */
  adjustment: number;
}

/** A `BlockTemplate` in terms of the call's pool: transactions are positions in its order. */
export interface BuiltTemplate {
  fields: HeaderFields;
  forkDetectionData: Uint8Array | undefined;
  /** Without the reward transaction, which is the last one. */
  transactions: Uint32Array;
  /** Encoded in full. */
  uncles: readonly Uint8Array[];
  /** Hashes of transactions that no block can have. */
  unusable: readonly Uint8Array[];
  /** Unexpected errors of transactions, which are among `unusable`. */
  faults: readonly TransactionFault[];
}

export interface StorageCell {
  address: Uint8Array;
  /** 32 bytes. */
  key: Uint8Array;
}

/** What the thread does. */
export interface BuildingMethods {
  /** Throws `MinerError` `UNKNOWN_PARENT` or `BUILD_ABANDONED`. */
  build(call: BuildCall): BuiltTemplate;
  /** Executes what is pending, for the reads that follow. Throws `TxPoolError` `STATE_MISSING`. */
  execute(work: PendingWork): void;
  /** Balance in the state that was executed last. */
  balance(address: Uint8Array): bigint;
  /** Bytes of a cell in the state that was executed last; undefined if it is empty. */
  storage(cell: StorageCell): Uint8Array | undefined;
}
