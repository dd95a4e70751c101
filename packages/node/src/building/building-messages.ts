import type { NetworkConfig } from "@cambium/config";
import type { BlockBuilderOptions, NextBlockRequest, TransactionFault } from "@cambium/miner";
import type { HeaderFields } from "@cambium/types";
import type { BuildingSignals } from "./building-signals.js";
import type { PoolUpdate } from "./pool-mirror.js";

/** Options of block building; plain data. */
export type BuildingOptions = Omit<BlockBuilderOptions, "minimumGasPrice"> & {
  /** Target for the minimum gas price, in wei. */
  minimumGasPrice: bigint;
  /** Milliseconds of processor time for one transaction of the pool; by default there is no limit. */
  transactionTime?: number;
};

/** Initial data of a thread that builds blocks. */
export interface BuildingThreadData {
  network: NetworkConfig;
  /** Folder of the chain's database. */
  location: string;
  nodeCacheCapacity: number;
  options: BuildingOptions;
  /** Memory of {@link BuildingSignals}. */
  signals: Int32Array<SharedArrayBuffer>;
}

/** Event of the thread: the number of a transaction of the pool that exceeds the time limit. */
export interface SlowTransaction {
  slow: number;
}

/** A block, and the transactions to execute on it. */
export interface PendingWork {
  parentHash: Uint8Array;
  pool: PoolUpdate;
}

export interface PendingBlockWork extends PendingWork {
  next: NextBlockRequest;
}

export interface BuildCall extends Omit<PendingWork, "pool">, NextBlockRequest {
  /** Update of the pool; undefined: no transactions. */
  pool: PoolUpdate | undefined;
  /** Whether the transactions are those of the pool, to which the time limit applies. */
  isLimited: boolean;
  /** Increases with each build that can be abandoned; {@link UNNUMBERED} for others. */
  number: number;
}

/** Number of builds that are never abandoned. */
export const UNNUMBERED = Number.POSITIVE_INFINITY;

/** A `BlockTemplate` in terms of the call's pool: transactions are positions in its order. */
export interface BuiltTemplate {
  fields: HeaderFields;
  forkDetectionData: Uint8Array | undefined;
  /** Positions of the transactions, without the reward transaction, which is the last one. */
  transactions: Uint32Array;
  /** Uncle headers, encoded in full. */
  uncles: readonly Uint8Array[];
  /** Hashes of transactions that can be in no block. */
  unusable: readonly Uint8Array[];
  /** Unexpected errors of transactions, which are among `unusable`. */
  faults: readonly TransactionFault[];
}

/** The pending block and its state. */
export interface BuiltPendingBlock extends BuiltTemplate {
  /** See `PendingBlock` of `@cambium/rpc`. */
  stateChanges: Uint8Array | undefined;
}

export interface StorageCell {
  address: Uint8Array;
  /** Key of the cell, 32 bytes. */
  key: Uint8Array;
}

/** Methods of the thread. */
export interface BuildingMethods {
  /** Changes the option for blocks that are built from now on. */
  setMinimumGasPrice(price: bigint): void;
  /** Builds a template. Throws `MinerError` `UNKNOWN_PARENT` or `BUILD_ABANDONED`. */
  build(call: BuildCall): BuiltTemplate;
  /** Builds a block that is never abandoned. Throws `MinerError` `UNKNOWN_PARENT`. */
  pendingBlock(work: PendingBlockWork): BuiltPendingBlock | Promise<BuiltPendingBlock>;
  /** Executes the pending transactions for later reads. Throws `TxPoolError` `STATE_MISSING`. */
  execute(work: PendingWork): void | Promise<void>;
  /** Returns the balance in the last executed state. */
  balance(address: Uint8Array): bigint;
  /** Returns the code of an account in the last executed state; empty if it has none. */
  code(address: Uint8Array): Uint8Array;
  /** Returns the bytes of a cell in the last executed state; undefined if it is empty. */
  storage(cell: StorageCell): Uint8Array | undefined;
}
