import { firstVersionWrites, type StateLayout, TABLES } from "@cambium/chain-store";
import type { Write } from "@cambium/database";
import { append } from "@cambium/primitives";
import type { StateChunkSink } from "@cambium/trie";

/** Adds the changes that store the content of a chunk of the state after block `number` to `writes`. */
export function chunkSink(layout: StateLayout, number: number, writes: Write[]): StateChunkSink {
  if (layout === "flat") {
    return {
      node: (message, _, place) => writes.push({ table: TABLES.trieNodes, key: place, value: message }),
      value: (value, key) => append(writes, firstVersionWrites(key, value, number)),
    };
  }
  return {
    node: (message, hash) => writes.push({ table: TABLES.stateNodes, key: hash, value: message }),
    value: (value, _, hash) => hash && writes.push({ table: TABLES.stateNodes, key: hash, value }),
  };
}
