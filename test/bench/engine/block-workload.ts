import { type Table, type Write, writeNumber } from "@cambium/database";
import { RandomBytes } from "./random-bytes.js";

/** Tables of the workload. */
export const TABLES = {
  facts: 0x01,
  headers: 0x02,
  transactions: 0x03,
  outcomes: 0x05,
  receipts: 0x06,
  bestChain: 0x07,
  transactionIndex: 0x09,
  /** Path → node of the state trie. */
  nodes: 0x0a,
  /** Key of the state → newest value. */
  flat: 0x0e,
  /** Number → reverse diff. */
  history: 0x0f,
} as const;

/** Tables with random reads and overwrites; the others only grow. */
export const HOT_TABLES: readonly Table[] = [TABLES.facts, TABLES.nodes, TABLES.flat];

/** Tables with an entry for each block, in ascending order. */
const BLOCK_TABLES: readonly Table[] = [
  TABLES.headers,
  TABLES.transactions,
  TABLES.outcomes,
  TABLES.receipts,
  TABLES.bestChain,
  TABLES.history,
];

export interface WorkloadOptions {
  /** Number of accounts and cells of the state, half of each. */
  entries: number;
  /** Key of a block's records: its hash, or its number and hash, which sort by age. */
  blockKeys: "hash" | "number";
  /** Number of blocks between two write-backs of trie nodes. */
  nodeInterval: number;
  /** Number of the trie's lowest levels that are not stored. */
  levelsLeftOut: number;
  /** Number of blocks that the database has at the start. */
  priorBlocks: number;
  /** Number of keys that a block reads and does not change, at least one. */
  otherReads: number;
}

/** Number of state entries that a block of three transactions reads and changes. */
const CHANGES = 10;
const TRANSACTIONS = 3;
const HISTORY_BYTES = 900;
/** Size of a header. The zeros are the unused part of a bloom filter. */
const HEADER = { bytes: 1_000, zeros: 200 };
const RECEIPTS = { bytes: 700, zeros: 200 };
const TRANSACTION_BYTES = 400;
const OUTCOME_BYTES = 45;
const INDEX_BYTES = 12;
const ACCOUNT_KEY_BYTES = 31;
const MAX_NODE_KEY_BYTES = ACCOUNT_KEY_BYTES + 6;
/** The contract that holds all cells; no account's key sorts after its key. */
const CONTRACT = new Uint8Array(ACCOUNT_KEY_BYTES).fill(0xff).fill(0, 0, 1);
const BEST = Uint8Array.of(3);

/**
 * The reads and writes of importing blocks into the state layout with a flat table, trie nodes by path and reverse
 * diffs. The same seed gives the same workload. Values are incompressible, like hashes and signatures.
 */
export class BlockWorkload {
  private readonly random = new RandomBytes(1);
  /** Entries changed since the nodes were written. */
  private changed: number[] = [];
  private number: number;
  /** Number of levels in the trie; each has twice the nodes of the level above. */
  private readonly levels: number;

  constructor(private readonly options: WorkloadOptions) {
    this.number = options.priorBlocks;
    this.levels = Math.round(Math.log2(options.entries)) - options.levelsLeftOut;
  }

  /** Entries of the state and of the prior blocks, in ascending order of keys. */
  *initial(): Generator<Write> {
    const { entries, priorBlocks } = this.options;
    for (const table of BLOCK_TABLES) {
      for (let block = 0; block < priorBlocks; block++) yield this.blockRecord(table, block, this.sortedHash(block));
      if (table !== TABLES.bestChain) continue;
      for (let at = 0; at < priorBlocks * TRANSACTIONS; at++) {
        yield this.indexEntry(this.sortedHash(at / TRANSACTIONS));
      }
      for (let position = 0; position < 2 ** (this.levels - 1); position++) yield* this.nodesStartingAt(position);
      for (let entry = 0; entry < entries; entry++) yield this.flatWrite(entry);
    }
  }

  /** Returns the next block: keys of the flat table to read, then the writes. */
  nextBlock(): { reads: Uint8Array[]; writes: Write[] } {
    const { entries, nodeInterval, otherReads } = this.options;
    const changes = Array.from({ length: CHANGES }, () => this.random.below(entries));
    const others = Array.from({ length: otherReads }, () => this.random.below(entries));
    const reads = [...changes, ...others].map((entry) => this.flatKey(entry));
    // The last key is absent.
    reads.at(-1)![ACCOUNT_KEY_BYTES - 1]! ^= 1;
    const number = ++this.number;
    const hash = this.random.bytes(32).slice();
    const writes = BLOCK_TABLES.map((table) => this.blockRecord(table, number, hash));
    for (const entry of changes) writes.push(this.flatWrite(entry));
    for (let i = 0; i < TRANSACTIONS; i++) writes.push(this.indexEntry(this.random.bytes(32)));
    writes.push({ table: TABLES.facts, key: BEST, value: hash });
    this.changed.push(...changes);
    if (number % nodeInterval !== 0) return { reads, writes };
    return { reads, writes: writes.concat(this.nodesAbove(this.changed.splice(0))) };
  }

  /** Keys of the flat table, in random order. */
  randomKeys(count: number): Uint8Array[] {
    return Array.from({ length: count }, () => this.flatKey(this.random.below(this.options.entries)));
  }

  private blockRecord(table: Table, number: number, hash: Uint8Array): Write {
    const numbered = withNumber(number, hash);
    const key = this.options.blockKeys === "hash" ? hash : numbered;
    switch (table) {
      case TABLES.headers:
        return { table, key, value: this.random.record(HEADER.bytes, HEADER.zeros) };
      case TABLES.transactions:
        return { table, key, value: this.random.bytes(TRANSACTION_BYTES) };
      case TABLES.outcomes:
        return { table, key, value: this.random.bytes(OUTCOME_BYTES) };
      case TABLES.receipts:
        return { table, key, value: this.random.record(RECEIPTS.bytes, RECEIPTS.zeros) };
      case TABLES.bestChain:
        return { table, key: numbered.subarray(0, 8), value: hash };
      default:
        return { table, key: numbered.subarray(0, 8), value: this.random.bytes(HISTORY_BYTES) };
    }
  }

  /** Hash of a prior block, in ascending order. */
  private sortedHash(block: number): Uint8Array {
    const hash = this.random.bytes(32).slice();
    writeFraction(hash, 0, block / this.options.priorBlocks);
    return hash;
  }

  private indexEntry(hash: Uint8Array): Write {
    return { table: TABLES.transactionIndex, key: hash, value: this.random.bytes(INDEX_BYTES) };
  }

  private flatWrite(entry: number): Write {
    return { table: TABLES.flat, key: this.flatKey(entry), value: this.random.bytes(5 + this.random.below(36)) };
  }

  /** Returns a key that sorts like the entry's number. The lower half are accounts, the upper half cells. */
  private flatKey(entry: number): Uint8Array {
    const half = this.options.entries / 2;
    if (entry < half) {
      const key = new Uint8Array(ACCOUNT_KEY_BYTES);
      this.random.fill(key, 5, entry);
      writeFraction(key, 1, entry / half);
      return key;
    }
    const key = new Uint8Array(ACCOUNT_KEY_BYTES + 12 + (entry % 32));
    key.set(CONTRACT);
    this.random.fill(key, ACCOUNT_KEY_BYTES + 5, entry);
    writeFraction(key, ACCOUNT_KEY_BYTES + 1, entry / half - 1);
    return key;
  }

  /** Every node on the paths to some entries, once. */
  private nodesAbove(entries: readonly number[]): Write[] {
    const writes: Write[] = [];
    for (let level = 0; level < this.levels; level++) {
      const indexes = new Set(entries.map((entry) => Math.floor((entry / this.options.entries) * 2 ** level)));
      for (const index of indexes) writes.push(this.node(level, index));
    }
    return writes;
  }

  /** Yields the nodes whose leftmost descendant on the lowest level has a position, in the order of their keys. */
  private *nodesStartingAt(position: number): Generator<Write> {
    const lowest = this.levels - 1;
    const height = position === 0 ? lowest : Math.min(lowest, 31 - Math.clz32(position & -position));
    for (let up = height; up >= 0; up--) yield this.node(lowest - up, position / 2 ** up);
  }

  /**
   * Returns a node. Its key is the packed bits of the path, then their number. Nodes of cells are below the contract's
   * key.
   */
  private node(level: number, index: number): Write {
    const isCells = level > 0 && index >= 2 ** (level - 1);
    const bits = isCells ? level - 1 : level;
    const key = new Uint8Array(MAX_NODE_KEY_BYTES);
    let at = 1;
    if (isCells) {
      key.set(CONTRACT);
      at = ACCOUNT_KEY_BYTES + 1;
    }
    writeFraction(key, at, (isCells ? index - 2 ** bits : index) / 2 ** bits);
    at += Math.ceil(bits / 8);
    key[at] = bits;
    return { table: TABLES.nodes, key: key.subarray(0, at + 1), value: this.random.bytes(100 + this.random.below(31)) };
  }
}

function withNumber(number: number, hash: Uint8Array): Uint8Array {
  const key = new Uint8Array(8 + hash.length);
  writeNumber(key, 0, number);
  key.set(hash, 8);
  return key;
}

/** Writes a number below 1 as the four bytes after the binary point. */
function writeFraction(out: Uint8Array, offset: number, fraction: number): void {
  new DataView(out.buffer, out.byteOffset).setUint32(offset, Math.floor(fraction * 2 ** 32));
}
