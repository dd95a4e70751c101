import { type KeyValueReader, readNumber } from "@cambium/database";

/**
 * The tables of the database, identified by the first byte of every key. Numbers in keys have eight bytes, big-endian,
 * so that they sort numerically. Any change here requires a new {@link SCHEMA_VERSION}, unless earlier releases may
 * ignore it.
 */
export const TABLES = {
  /** Facts about the database, see {@link FACTS}. */
  facts: 0x01,
  /** Block hash → full header, RLP. */
  headers: 0x02,
  /** Block hash → list of transactions, RLP. */
  transactions: 0x03,
  /** Block hash → list of uncle headers, RLP; absent if there are none. */
  uncles: 0x04,
  /** Block hash → root of the state after it (32 bytes, `spec/02 §5.7`), then its total difficulty. */
  outcomes: 0x05,
  /** Block hash → list of receipts, RLP. */
  receipts: 0x06,
  /** Number → hash of the best chain's block. */
  bestChain: 0x07,
  /** Number → hashes of all known blocks of this height, in order of arrival. */
  siblings: 0x08,
  /** Transaction hash → number of the best chain's block that contains it, and index in it (4 bytes). */
  transactionIndex: 0x09,
  /** Archive layout of the state: hash → node or long value of the tries of all blocks. */
  stateNodes: 0x0a,
  /** Log index, see `log-index.ts`. */
  logChunks: 0x0b,
  logSpans: 0x0c,
  /** Hash of an invalid block with proof of work, which is never validated again; no value. */
  invalidBlocks: 0x0d,
  /** Flat layout of the state: key → value after the best block, see `flat-record.ts`. */
  flatState: 0x0e,
  /** Place → node of the trie of one block, see {@link FACTS}. */
  trieNodes: 0x0f,
  /** Number → records that the best chain's block has replaced, see `state-diff.ts`. */
  stateDiffs: 0x10,
  /** Hash of a block that is not on the best chain → values that it has set. */
  sideDiffs: 0x11,
  /** Hash → code of contracts. */
  codes: 0x12,
  /** Number of a block whose trie is pinned, place → its node, if another one was stored there since. */
  pinnedNodes: 0x13,
  /**
   * Key of a tombstone (`state/tombstone.ts`) that has left the history → nothing; until the hidden cells and their
   * nodes are removed.
   */
  sweptStorages: 0x14,
  /**
   * Number and hash of a block → senders of its transactions, see `block-senders.ts`; absent if they are not known, or
   * no transaction is signed. Earlier releases ignore this table, and readers do without it, so that it has not changed
   * the schema version.
   */
  senders: 0x15,
} as const;

export const SCHEMA_VERSION = 3;

/** Layouts of the state (`state/stored-states.ts`), by the number in {@link FACTS}. */
export const STATE_LAYOUTS = ["archive", "flat"] as const;

/** Keys of the `facts` table. */
export const FACTS = {
  schema: Uint8Array.of(1),
  /** Hash of the genesis block, which identifies the network. */
  genesis: Uint8Array.of(2),
  /** Hash of the best block. */
  best: Uint8Array.of(3),
  /** Number of complete chunks in the log index. */
  logChunks: Uint8Array.of(4),
  /**
   * Number of the lowest block above genesis from which the best chain is complete; absent if it is complete. Below it,
   * no blocks are stored, or only the headers of those that were dropped, see `block-pruning.ts`.
   */
  earliest: Uint8Array.of(5),
  /** Number of the snapshot's block; blocks up to it were not executed by this node and have no receipts. */
  snapshot: Uint8Array.of(6),
  /** Progress of a snapshot installation, see `snapshot-progress.ts`; absent if none is in progress. */
  snapshotProgress: Uint8Array.of(7),
  /** How states are stored: {@link STATE_LAYOUTS}. */
  layout: Uint8Array.of(8),
  /**
   * Flat layout: number, hash and state root of the block whose trie is stored. The block is, or was, on a branch of
   * the best block.
   */
  trieBlock: Uint8Array.of(9),
  /** Flat layout: number of the lowest block of the best chain whose state can be read; absent: genesis. */
  oldestState: Uint8Array.of(10),
  /**
   * Flat layout: blocks whose tries can be read although another one is stored, ascending; each as {@link trieBlock}.
   */
  pinned: Uint8Array.of(11),
  /** Headers below a snapshot whose work is verified, see `verified-work.ts`; absent if none are. */
  verifiedWork: Uint8Array.of(12),
} as const;

/** Reads a fact that is a number; undefined if it is absent. */
export function numberFact(reader: KeyValueReader, key: Uint8Array): number | undefined {
  const stored = reader.get(TABLES.facts, key);
  return stored === undefined ? undefined : readNumber(stored, 0);
}
