/**
 * Finds node messages and long values (`spec/01 §4.2`, "Storage"). Synchronous by design. A store keeps them under
 * their hashes, so that it holds the nodes of many states, or nodes under their places (`place.ts`), so that it holds
 * those of one.
 */
export interface NodeReader {
  /** Whether nodes are stored under their places. */
  readonly byPlace?: boolean;
  /**
   * The node with this hash, whose path starts at bit `start` of `key`. Of a store under hashes, long values are read
   * in the same way; a store under places has none.
   */
  get(hash: Uint8Array, key: Uint8Array, start: number): Uint8Array | undefined;
  /** A second place where the node may be stored, if `get` finds none or another one. Arguments as for `get`. */
  elsewhere?(hash: Uint8Array, key: Uint8Array, start: number): Uint8Array | undefined;
}

/** Receives the new nodes and long values when a trie is saved. */
export interface NodeSink {
  put(hash: Uint8Array, bytes: Uint8Array): void;
}

/** Receives the changes of a store that keeps nodes under their places. */
export interface PlaceSink {
  /** An undefined message: the node at this place is gone. */
  put(place: Uint8Array, message: Uint8Array | undefined): void;
}
