/**
 * Finds node messages and long values (`spec/01 §4.2`, "Storage"). Synchronous by design. A store under hashes holds
 * the nodes of many states. A store under places (`place.ts`) holds those of one state.
 */
export interface NodeReader {
  /** Whether nodes are stored under their places. */
  readonly byPlace?: boolean;
  /**
   * Returns the node with this hash, whose path starts at bit `start` of `key`. A store under hashes also returns long
   * values in this way; a store under places has none.
   */
  get(hash: Uint8Array, key: Uint8Array, start: number): Uint8Array | undefined;
  /**
   * Returns the node from a second place where it may be stored, if `get` finds none or another one. Arguments as for
   * `get`.
   */
  elsewhere?(hash: Uint8Array, key: Uint8Array, start: number): Uint8Array | undefined;
}

/** Receives the new nodes and long values when a trie is saved. */
export interface NodeSink {
  put(hash: Uint8Array, bytes: Uint8Array): void;
}

/** Receives the changes of a store that keeps nodes under their places. */
export interface PlaceSink {
  /** Stores a message. Undefined means that the node at this place is gone. */
  put(place: Uint8Array, message: Uint8Array | undefined): void;
}
