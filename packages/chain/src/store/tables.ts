import { type KeyValueReader, readNumber } from "@cambium/database";

/**
 * The tables of the database: the first byte of every key. Numbers in keys have eight bytes, big-endian, so that they
 * sort. Changing anything here means a new {@link SCHEMA_VERSION}.
 */
export const TABLES = {
  /** Name of a fact about the database: see {@link FACTS}. */
  facts: 0x01,
  /** Block hash: full header, RLP. */
  headers: 0x02,
  /** Block hash: transaction list, RLP. */
  transactions: 0x03,
  /** Block hash: list of uncle headers, RLP; only where there are any. */
  uncles: 0x04,
  /** Block hash: 32 bytes root of the state after it (`spec/02 §5.7`), then its total difficulty. */
  standings: 0x05,
  /** Block hash: list of receipts, RLP. */
  receipts: 0x06,
  /** Number: hash of the best chain's block. */
  bestChain: 0x07,
  /** Number: hashes of all its known blocks, in order of arrival. */
  siblings: 0x08,
  /** Transaction hash: number of the best chain's block that has it, and position (4 bytes). */
  transactionIndex: 0x09,
  /** Node or long value of the state trie by its hash. */
  stateNodes: 0x0a,
  /** Log index, see `log-index.ts`. */
  logChunks: 0x0b,
  logSpans: 0x0c,
  /** Hash of a block that has proof of work and breaks a rule, so that it is never looked at again; no value. */
  invalidBlocks: 0x0d,
} as const;

export const SCHEMA_VERSION = 1;

/** Keys of the `facts` table. */
export const FACTS = {
  schema: Uint8Array.of(1),
  /** Hash of the genesis block, which names the network. */
  genesis: Uint8Array.of(2),
  /** Hash of the best block. */
  best: Uint8Array.of(3),
  /** Number of complete chunks in the log index. */
  logChunks: Uint8Array.of(4),
  /** Number of the lowest block above genesis from which on the best chain is whole; absent when it is whole. */
  earliest: Uint8Array.of(5),
  /** Number of the block whose state came as a snapshot: nothing up to it was executed here, so there are no receipts. */
  snapshot: Uint8Array.of(6),
  /** How far the installation of a snapshot is, see `snapshot-progress.ts`; absent when none is under way. */
  snapshotProgress: Uint8Array.of(7),
} as const;

/** Value of a fact that is a number. */
export function numberFact(reader: KeyValueReader, key: Uint8Array): number | undefined {
  const stored = reader.get(TABLES.facts, key);
  return stored === undefined ? undefined : readNumber(stored, 0);
}
