import type { Log } from "@cambium/types";

/** Blocks that left and joined the best chain, both ascending, without the common ancestor. */
export interface Reorganisation {
  commonAncestor: Uint8Array;
  removed: readonly Uint8Array[];
  added: readonly Uint8Array[];
}

/** A log of the best chain and its position; `logIndex` counts over the whole block. */
export interface LogLocation {
  log: Log;
  blockHash: Uint8Array;
  blockNumber: number;
  /** Seconds since 1970. */
  blockTimestamp: bigint;
  transactionHash: Uint8Array;
  transactionIndex: number;
  logIndex: number;
}

/** RLP of a block's list of transactions and list of uncles. */
export interface EncodedBody {
  transactions: Uint8Array;
  uncles: Uint8Array;
}

/** A log query; the range includes both ends. Each of `topics` is null (matches anything) or a list of alternatives. */
export interface LogQuery {
  fromBlock: number;
  toBlock: number;
  addresses?: readonly Uint8Array[];
  topics?: readonly (readonly Uint8Array[] | null)[];
}
