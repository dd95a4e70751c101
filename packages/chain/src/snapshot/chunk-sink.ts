import { addFirstVersion, type StateLayout, TABLES } from "@cambium/chain-store";
import { type Write, YoungWrite } from "@cambium/database";
import type { StateChunkSink } from "@cambium/trie";

/** Adds the changes that store the content of a chunk of the state after block `number` to `writes`. */
export function chunkSink(layout: StateLayout, number: number, writes: Write[]): StateChunkSink {
  if (layout === "flat") {
    return {
      node: (message, _, place) => writes.push(new YoungWrite(TABLES.trieNodes, place, message)),
      value: (value, key) => addFirstVersion(writes, key, value, number),
    };
  }
  return {
    node: (message, hash) => writes.push(new YoungWrite(TABLES.stateNodes, hash, message)),
    value: (value, _, hash) => hash && writes.push(new YoungWrite(TABLES.stateNodes, hash, value)),
  };
}
