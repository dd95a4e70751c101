/** Where node messages and long values are found by their hash (`spec/01 §4.2`, "Storage"). Synchronous by design. */
export interface NodeReader {
  get(hash: Uint8Array): Uint8Array | undefined;
}

/** Where new nodes and long values go when a trie is saved. */
export interface NodeSink {
  put(hash: Uint8Array, bytes: Uint8Array): void;
}
