import { type KeyValueReader, mapKey, numberKey, readNumber } from "@cambium/database";
import { concatBytes, EMPTY_BYTES, equalBytes, keccak256, LruCache } from "@cambium/primitives";
import { isPacked, isPackedSubtree, type NodeReader, placeAt } from "@cambium/trie";
import { ChainError } from "../errors.js";
import { hasTombstones } from "../tables/schema.js";
import { FACTS, numberFact, TABLES } from "../tables/tables.js";
import { decodeRecord, earliestAbove, type FlatRecord } from "./flat-record.js";
import { decodeDiff, findInDiff } from "./state-diff.js";
import { decodeTombstone, isStoragePlace, laterPlace, type StorageIds, tombstoneKey } from "./tombstone.js";

/** Block to whose state the nodes under their places belong. */
export interface TrieBlock {
  number: number;
  hash: Uint8Array;
  root: Uint8Array;
}

/** Codes that are kept, of up to 24 KB each. */
const CODES = 128;
const HASH_BYTES = 32;
const TRIE_BLOCK_BYTES = 8 + 2 * HASH_BYTES;

/** Reads the tables of the flat layout (`tables.ts`). Values of codes are references to them: {@link codeReference}. */
export class FlatTables {
  /** Nodes of the trie of the newest state. */
  readonly nodes = this.nodesOf((key) => this.newestId(key));
  /**
   * Nodes by place that are about to be written. They take precedence if a trie that was stored is changed for the same
   * batch.
   */
  unwritten: Map<string, Uint8Array | undefined> | undefined;
  /** Codes by hash. The analysis that the interpreter attaches to a code is cached with its bytes. */
  private readonly codes = new LruCache<string, Uint8Array>(CODES);

  constructor(readonly reader: KeyValueReader) {}

  /** The record of a key in the newest state. */
  record(key: Uint8Array): FlatRecord | undefined {
    const stored = this.reader.get(TABLES.flatState, key);
    return stored === undefined ? undefined : decodeRecord(stored, key);
  }

  /**
   * Returns the version of a value after a block of the best chain, if `newest` is the record of the newest state;
   * undefined if there is none. A tombstone may hide it. Throws {@link ChainError} `STATE_UNAVAILABLE` if the history
   * does not reach that far.
   */
  versionAt(key: Uint8Array, number: number, newest: FlatRecord | undefined): FlatRecord | undefined {
    const record = this.recordAt(key, number, newest);
    return record === undefined || record.value.length === 0 ? undefined : record;
  }

  /**
   * The first version that a block above `number` has made; `newest` is above it, too. Throws as {@link versionAt}
   * does.
   */
  firstVersionAbove(key: Uint8Array, number: number, newest: FlatRecord): FlatRecord | undefined {
    const { changedIn, record } = this.firstChange(key, number, newest);
    return this.versionAt(key, changedIn, record);
  }

  /** Number of the last block up to `number` that changed a value. Throws as {@link versionAt} does. */
  lastChangeUpTo(key: Uint8Array, number: number): number | undefined {
    return this.recordAt(key, number, this.record(key))?.changed;
  }

  /** Number of the first block above `number` that changed a value. Throws as {@link versionAt} does. */
  firstChangeAbove(key: Uint8Array, number: number): number | undefined {
    const newest = this.record(key);
    if (newest === undefined || newest.changed <= number) return undefined;
    return this.firstChange(key, number, newest).changedIn;
  }

  /** The first block above `number` that changed a value, and a version that refers to it. */
  private firstChange(key: Uint8Array, number: number, newest: FlatRecord) {
    for (let record = newest; ; ) {
      const changedIn = earliestAbove(record, number);
      const before = this.replacedIn(changedIn, key, number);
      if (before === undefined || before.changed <= number) return { changedIn, record };
      record = before;
    }
  }

  /** The record of a key after a block of the best chain, which has no value if that was deleted. */
  private recordAt(key: Uint8Array, number: number, newest: FlatRecord | undefined): FlatRecord | undefined {
    let record = newest;
    while (record !== undefined && record.changed > number) {
      record = this.replacedIn(earliestAbove(record, number), key, number);
    }
    return record;
  }

  /** The record of a key that a block of the best chain has replaced. */
  private replacedIn(changedIn: number, key: Uint8Array, number: number): FlatRecord | undefined {
    const diff = this.reader.get(TABLES.stateDiffs, numberKey(changedIn));
    const entry = diff && findInDiff(diff, key, changedIn);
    if (entry === undefined) throw new ChainError({ code: "STATE_UNAVAILABLE", number });
    return entry.bytes && decodeRecord(entry.bytes, key);
  }

  /** Keys that a block of the best chain has changed; undefined if its diff is not stored. */
  keysChangedAt(number: number): Uint8Array[] | undefined {
    const diff = this.reader.get(TABLES.stateDiffs, numberKey(number));
    return diff && Array.from(decodeDiff(diff, number), ({ key }) => key);
  }

  code(hash: Uint8Array): Uint8Array {
    const name = mapKey(hash);
    const known = this.codes.get(name);
    if (known !== undefined) return known;
    const code = this.reader.get(TABLES.codes, hash);
    if (code === undefined) throw new ChainError({ code: "DATABASE_DAMAGED", what: "code", key: hash });
    this.codes.set(name, code);
    return code;
  }

  trieBlock(): TrieBlock | undefined {
    const stored = this.reader.get(TABLES.facts, FACTS.trieBlock);
    return stored && decodeTrieBlock(stored);
  }

  /** Blocks whose tries are pinned, ascending. */
  pinned(): TrieBlock[] {
    const stored = this.reader.get(TABLES.facts, FACTS.pinned) ?? EMPTY_BYTES;
    const count = stored.length / TRIE_BLOCK_BYTES;
    return Array.from({ length: count }, (_, i) =>
      decodeTrieBlock(stored.subarray(i * TRIE_BLOCK_BYTES, (i + 1) * TRIE_BLOCK_BYTES)),
    );
  }

  /**
   * Returns the nodes of a trie whose storages have these ids, or of the first of these pinned tries. A replaced node
   * is kept for the newest trie that was pinned at that time, which may be any of them.
   */
  nodesOf(ids: StorageIds, pinned: readonly TrieBlock[] = []): NodeReader {
    const find = (hash: Uint8Array, place: Uint8Array, start: number) => {
      for (const { number } of pinned) {
        const message = this.reader.get(TABLES.pinnedNodes, pinnedKey(number, place));
        if (message !== undefined && hasHash(message, hash, start)) return message;
      }
      return this.node(hash, place);
    };
    return {
      byPlace: true,
      get: (hash, key, start) => find(hash, placeAt(key, start), start),
      elsewhere: (hash, key, start) => {
        const place = placeAt(key, start);
        const id = isStoragePlace(place) ? ids(place) : undefined;
        return id && find(hash, laterPlace(place, id), start);
      },
    };
  }

  /** See {@link StorageIds}; ids of the newest state. */
  newestId(key: Uint8Array): Uint8Array | undefined {
    const tombstone = tombstoneKey(key);
    const record = hasTombstones(this.reader) ? this.record(tombstone) : undefined;
    return record && decodeTombstone(record.value, tombstone).id;
  }

  /** Number of the lowest block of the best chain whose state can be read. */
  oldest(): number {
    return numberFact(this.reader, FACTS.oldestState) ?? 0;
  }

  /** A node of another state may be stored at this place. */
  private node(hash: Uint8Array, place: Uint8Array): Uint8Array | undefined {
    const name = this.unwritten && mapKey(place);
    const isUnwritten = name !== undefined && this.unwritten!.has(name);
    const message = isUnwritten ? this.unwritten!.get(name) : this.reader.get(TABLES.trieNodes, place);
    // The trie verifies a packed subtree, whose size it needs, too.
    const isFound = message !== undefined && (isPacked(message) || equalBytes(keccak256(message), hash));
    return isFound ? message : undefined;
  }
}

/** Key of a node of a pinned trie. */
export function pinnedKey(number: number, place: Uint8Array): Uint8Array {
  return concatBytes(numberKey(number), place);
}

/** Whether a record belongs to the node with this hash, or to the subtree below it. */
function hasHash(record: Uint8Array, hash: Uint8Array, start: number): boolean {
  return isPacked(record) ? isPackedSubtree(record, hash, start) : equalBytes(keccak256(record), hash);
}

/** Returns the bytes that the flat table stores in place of a code: its hash, then its length in three bytes. */
export function codeReference(code: Uint8Array): Uint8Array {
  return codeReferenceOf(keccak256(code), code.length);
}

/** Works like {@link codeReference}, for a code with this hash and length. */
export function codeReferenceOf(hash: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(HASH_BYTES + 3);
  out.set(hash);
  out[HASH_BYTES] = length >> 16;
  out[HASH_BYTES + 1] = length >> 8;
  out[HASH_BYTES + 2] = length;
  return out;
}

export function hashInReference(reference: Uint8Array): Uint8Array {
  return reference.subarray(0, HASH_BYTES);
}

export function lengthInReference(reference: Uint8Array): number {
  return (reference[HASH_BYTES]! << 16) | (reference[HASH_BYTES + 1]! << 8) | reference[HASH_BYTES + 2]!;
}

export function encodeTrieBlock({ number, hash, root }: TrieBlock): Uint8Array {
  const out = new Uint8Array(TRIE_BLOCK_BYTES);
  out.set(numberKey(number));
  out.set(hash, 8);
  out.set(root, 8 + HASH_BYTES);
  return out;
}

function decodeTrieBlock(bytes: Uint8Array): TrieBlock {
  if (bytes.length !== TRIE_BLOCK_BYTES) {
    throw new ChainError({ code: "DATABASE_DAMAGED", what: "block of the state trie", key: FACTS.trieBlock });
  }
  const number = readNumber(bytes, 0);
  return { number, hash: bytes.slice(8, 8 + HASH_BYTES), root: bytes.slice(8 + HASH_BYTES) };
}
