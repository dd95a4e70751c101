/** One log of a receipt: a 20-byte address and 32-byte topics. */
export interface Log {
  address: Uint8Array;
  topics: readonly Uint8Array[];
  data: Uint8Array;
}

/** A receipt as hashed and stored (`spec/01 §3.6`). */
export interface Receipt {
  /** Status: 1 for success, 0 for failure. */
  status: 0 | 1;
  gasUsed: number;
  /** Cumulative gas, which restarts in each execution list (RSKIP-144). */
  cumulativeGas: number;
  /** Bloom of the logs, 256 bytes. */
  logsBloom: Uint8Array;
  logs: readonly Log[];
}

/**
 * Header fields, `spec/01 §2.1`. Byte strings are kept as received if the encoding keeps them; null means an empty
 * element where that differs from a value.
 */
export interface HeaderFields {
  parentHash: Uint8Array;
  unclesHash: Uint8Array;
  /** Coinbase, 20 bytes, or empty for the null address. */
  coinbase: Uint8Array;
  stateRoot: Uint8Array;
  transactionsRoot: Uint8Array;
  receiptsRoot: Uint8Array;
  /**
   * Bloom of the logs, 256 bytes in valid headers; kept as received. Empty in a compressed header whose extension is
   * unknown.
   */
  logsBloom: Uint8Array;
  /** Difficulty; null encodes as 80 and counts as 0. */
  difficulty: bigint | null;
  /** Number; `OUT_OF_RANGE` from 2^53 on, like `gasUsed`. */
  number: number;
  /** Gas limit as raw bytes with leading zeros. */
  gasLimit: Uint8Array;
  gasUsed: number;
  /** Timestamp in seconds, up to 2^63 - 1: local networks accept any (`spec/02 §3.5`). */
  timestamp: bigint;
  extraData: Uint8Array;
  paidFees: bigint;
  /** Minimum gas price, signed; null if the element was empty. */
  minimumGasPrice: bigint | null;
  /** Number of uncles that the header claims; no rule compares it with the uncle list (`spec/02 §10`, Q1). */
  uncleCount: number;
  /** UMM root; null if RSKIP-177 is not active, otherwise empty or 20 bytes if valid. */
  ummRoot: Uint8Array | null;
  /** Version 0, 1 or 2, taken from the bytes, not from the height. */
  version: 0 | 1 | 2;
  /** Ends of the parallel lists, null if the field does not exist. */
  executionEdges: readonly number[] | null;
  baseEvent: Uint8Array | null;
  /** Parent-chain header, 80 bytes in valid headers, null if empty or absent. */
  parentChainHeader: Uint8Array | null;
  merkleProof: Uint8Array | null;
  parentChainCoinbase: Uint8Array | null;
}
