/** Finds node messages and long values by their hash (`spec/01 §4.2`, "Storage"). Synchronous by design. */
export interface NodeReader {
  get(hash: Uint8Array): Uint8Array | undefined;
}

/** Receives the new nodes and long values when a trie is saved. */
export interface NodeSink {
  put(hash: Uint8Array, bytes: Uint8Array): void;
}
