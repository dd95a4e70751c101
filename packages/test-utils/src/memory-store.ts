import { toHex } from "@cambium/primitives";
import type { NodeReader, NodeSink } from "@cambium/trie";

/** Nodes in memory, with a count of reads. */
export class MemoryStore implements NodeReader, NodeSink {
  readonly entries = new Map<string, Uint8Array>();
  reads = 0;

  get(hash: Uint8Array): Uint8Array | undefined {
    this.reads++;
    return this.entries.get(toHex(hash));
  }

  put(hash: Uint8Array, bytes: Uint8Array): void {
    this.entries.set(toHex(hash), bytes);
  }
}
