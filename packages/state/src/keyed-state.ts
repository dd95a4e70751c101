import { decodeRlpList, encodeRlp } from "@cambium/primitives";
import type { NodeSink, StateChunk, Trie, TrieEntry } from "@cambium/trie";
import { StateError } from "./errors.js";

/**
 * A change of a state: a new value of a key, or none. With `isPrefix`, it removes the key and all longer ones that
 * begin with it, if the key has a value.
 */
export interface StateChange {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
  readonly isPrefix?: boolean;
}

/** An immutable state as keys and values (`spec/01 §4.4`), independent of its storage. */
export interface KeyedState {
  readonly root: Uint8Array;
  get(key: Uint8Array): Uint8Array | undefined;
  /** Returns the length of a value, 0 if there is none. */
  valueLength(key: Uint8Array): number;
  /** Returns the Keccak-256 of a value; undefined if there is none. */
  valueHash(key: Uint8Array): Uint8Array | undefined;
  /** Yields keys that begin with `prefix` and have at most `maxKeyBytes`, in order, and their values. */
  entries(prefix?: Uint8Array, maxKeyBytes?: number): Iterable<TrieEntry>;
  /** See `Trie.pathTo`. */
  pathTo(key: Uint8Array): ReturnType<Trie["pathTo"]>;
  /** Returns the hash of the trie's node at `key`, undefined if there is none. */
  nodeHash(key: Uint8Array): Uint8Array | undefined;
  /** See `Trie.stateSize`. */
  stateSize(): number;
  /** See `Trie.stateChunk`. */
  stateChunk(from: number, size?: number): StateChunk | undefined;
  /** Returns the state after changes. Keys and values are kept and must not be changed afterwards. */
  after(changes: readonly StateChange[]): this;
}

/** A state in a trie whose nodes are stored under their hashes. */
export class TrieState implements KeyedState {
  constructor(private readonly trie: Trie) {}

  get root(): Uint8Array {
    return this.trie.hash();
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.trie.get(key);
  }

  valueLength(key: Uint8Array): number {
    return this.trie.valueLength(key);
  }

  valueHash(key: Uint8Array): Uint8Array | undefined {
    return this.trie.valueHash(key);
  }

  entries(prefix?: Uint8Array, maxKeyBytes?: number): Iterable<TrieEntry> {
    return this.trie.entries(prefix, maxKeyBytes);
  }

  pathTo(key: Uint8Array): ReturnType<Trie["pathTo"]> {
    return this.trie.pathTo(key);
  }

  nodeHash(key: Uint8Array): Uint8Array | undefined {
    return this.trie.nodeHash(key);
  }

  stateSize(): number {
    return this.trie.stateSize();
  }

  stateChunk(from: number, size?: number): StateChunk | undefined {
    return this.trie.stateChunk(from, size);
  }

  after(changes: readonly StateChange[]): this {
    const trie = this.trie.copy();
    applyChanges(trie, changes);
    return new TrieState(trie) as this;
  }

  /** Writes the nodes and long values that are not stored yet to a sink. Call it only if they will be stored. */
  save(sink: NodeSink): void {
    this.trie.save(sink);
  }
}

/** Applies changes to a trie, in order. */
function applyChanges(trie: Trie, changes: readonly StateChange[]): void {
  for (const { key, value, isPrefix } of changes) {
    if (isPrefix) trie.deleteRecursive(key);
    else trie.put(key, value);
  }
}

const REMOVAL = 1;

/** Encodes changes; undefined if they need more than this number of bytes. */
export function packChanges(changes: readonly StateChange[], maxBytes: number): Uint8Array | undefined {
  const size = changes.reduce((sum, { key, value }) => sum + key.length + (value?.length ?? 0), 0);
  if (size > maxBytes) return undefined;
  return encodeRlp(
    changes.map(({ key, value, isPrefix }) => {
      if (isPrefix) return [key, Uint8Array.of(REMOVAL)];
      return value === undefined ? [key] : [key, NO_REMOVAL, value];
    }),
  );
}

/** Inverse of {@link packChanges}. Throws {@link StateError} `MALFORMED_CHANGES`. */
export function unpackChanges(packed: Uint8Array): StateChange[] {
  return decodeRlpList(packed).map(({ items: [key, kind, value] }) => {
    if (key === undefined) throw new StateError({ code: "MALFORMED_CHANGES" });
    return { key: key.bytes, value: value?.bytes, isPrefix: kind !== undefined && kind.bytes.length > 0 };
  });
}

const NO_REMOVAL = new Uint8Array(0);
