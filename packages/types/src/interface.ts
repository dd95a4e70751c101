/** One event of a receipt: address 20 bytes, topics 32 bytes each. */
export interface Log {
  address: Uint8Array;
  topics: readonly Uint8Array[];
  data: Uint8Array;
}

/** Receipt as hashed and stored (`spec/01 §3.6`). */
export interface Receipt {
  /** 1 success, 0 failure. */
  status: 0 | 1;
  gasUsed: number;
  /** Restarts in each execution list (RSKIP-144). */
  cumulativeGas: number;
  /** 256 bytes. */
  logsBloom: Uint8Array;
  logs: readonly Log[];
}

/**
 * Header fields, `spec/01 §2.1`. Byte strings are kept as received where the encoding keeps them; null is "empty
 * element" where that differs from a value.
 */
export interface HeaderFields {
  parentHash: Uint8Array;
  unclesHash: Uint8Array;
  /** 20 bytes, or empty for the null address. */
  coinbase: Uint8Array;
  stateRoot: Uint8Array;
  transactionsRoot: Uint8Array;
  receiptsRoot: Uint8Array;
  /** 256 bytes in valid headers; kept as received. Empty in a compressed header whose extension is not known. */
  logsBloom: Uint8Array;
  /** null encodes as 80 and counts as 0. */
  difficulty: bigint | null;
  /** `OUT_OF_RANGE` from 2^53 on, as `gasUsed`. */
  number: number;
  /** Raw bytes, leading zeros kept. */
  gasLimit: Uint8Array;
  gasUsed: number;
  /** Seconds, up to 2^63 - 1: local networks accept any (`docs/protocol-notes/types.md`). */
  timestamp: bigint;
  extraData: Uint8Array;
  paidFees: bigint;
  /** Signed; null when the element was empty. */
  minimumGasPrice: bigint | null;
  /** The header's own claim; nothing compares it with the list (`spec/02 §10`, Q1). */
  uncleCount: number;
  /** null where RSKIP-177 is not active; otherwise empty or (when valid) 20 bytes. */
  ummRoot: Uint8Array | null;
  /** From the bytes, never from the height: 0, 1 or 2. */
  version: 0 | 1 | 2;
  /** Ends of the parallel lists; null where the field does not exist. */
  executionEdges: readonly number[] | null;
  baseEvent: Uint8Array | null;
  /** 80 bytes in valid headers; null when empty or absent. */
  parentChainHeader: Uint8Array | null;
  merkleProof: Uint8Array | null;
  parentChainCoinbase: Uint8Array | null;
}
