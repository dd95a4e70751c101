import type { KeyValueReader } from "@cambium/database";
import { NodeCache, Trie, TrieError } from "@cambium/trie";
import { FlatTables } from "../state/flat-tables.js";

/** Decoded nodes that are kept: those near the root, which all paths have in common. */
const NODES = 20_000;

/** Reads paths of the stored trie of the flat layout. */
export class TriePaths {
  private readonly tables: FlatTables;
  private readonly nodes = new NodeCache(NODES);

  constructor(reader: KeyValueReader) {
    this.tables = new FlatTables(reader);
  }

  /** Reads the nodes on the way to each key, unless `isOver` says that no more are wanted. */
  read(keys: Iterable<Uint8Array>, isOver: () => boolean): void {
    const block = this.tables.trieBlock();
    if (block === undefined) return;
    const trie = new Trie(this.tables.nodes, block.root, this.nodes);
    for (const key of keys) {
      if (isOver()) return;
      try {
        trie.loadPath(key);
      } catch (error) {
        // The import has replaced the trie meanwhile.
        if (error instanceof TrieError && error.code === "MISSING_NODE") return;
        throw error;
      }
    }
  }
}
