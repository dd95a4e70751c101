import type { NetworkConfig } from "@cambium/config";
import type { Database } from "@cambium/database";
import { isPacked, storedParts } from "@cambium/trie";
import { clearTable } from "../state/clear-table.js";
import { FlatStates } from "../state/flat-states.js";
import { storedPlaces } from "../state/tombstone.js";
import { ChainStore } from "../store/chain-store.js";
import { FACTS, TABLES } from "../store/tables.js";
import { BoundedWriter } from "./bounded-writer.js";

export interface PackOptions {
  network: NetworkConfig;
  database: Database;
  /** Number of subtrees that were packed so far. */
  onProgress?: ((done: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Packs the small subtrees of the stored trie (`trie/src/packed-subtree.ts`), of which every node has a record of its own before. The trie can be
 * read after each batch. Tries of checkpoints have records in common with it, and are removed. Resolves to false if it was interrupted.
 */
export async function packStoredTrie({ network, database, onProgress, signal }: PackOptions): Promise<boolean> {
  const states = new FlatStates(new ChainStore(database, network).states, undefined);
  const trieBlock = states.tables.trieBlock();
  await database.write([{ table: TABLES.facts, key: FACTS.pinned, value: undefined }]);
  await clearTable(database, TABLES.pinnedNodes, () => !signal?.aborted);
  if (signal?.aborted) return false;
  const writer = new BoundedWriter(database);
  let packed = 0;
  const parts = trieBlock === undefined ? [] : storedParts(states.nodesAt(trieBlock), trieBlock.root);
  const storedPlace = storedPlaces(trieBlock === undefined ? () => undefined : states.idsAt(trieBlock));
  for (const part of parts) {
    if (part.kind === "vacated")
      writer.add({ table: TABLES.trieNodes, key: storedPlace(part.place), value: undefined });
    if (part.kind === "record" && isPacked(part.record)) {
      writer.add({ table: TABLES.trieNodes, key: storedPlace(part.place), value: part.record });
      packed++;
    }
    // A subtree is complete with its record: nothing of it is removed before.
    if (part.kind !== "record" || !writer.isFull) continue;
    await writer.flush();
    onProgress?.(packed);
    if (signal?.aborted) return false;
  }
  await writer.flush([{ table: TABLES.facts, key: FACTS.unpacked, value: undefined }]);
  return true;
}
