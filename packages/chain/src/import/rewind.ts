import { numberKey, type Write } from "@cambium/database";
import { toHex } from "@cambium/primitives";
import { ChainError } from "../errors.js";
import type { Reorganisation } from "../interface.js";
import type { BlockCache, ChainStore } from "../store/chain-store.js";
import { TABLES } from "../store/tables.js";

/**
 * The blocks that leave the best chain if its block at `height` becomes the best one. Throws {@link ChainError}
 * `DATABASE_DAMAGED` if one of their hashes is missing.
 */
export function rewinding(store: ChainStore, height: number, bestHeight: number): Reorganisation {
  const hashAt = (number: number): Uint8Array => {
    const hash = store.hashAt(number);
    if (hash !== undefined) return hash;
    throw new ChainError({ code: "DATABASE_DAMAGED", what: "hash of the best chain", key: numberKey(number) });
  };
  const removed = Array.from({ length: bestHeight - height }, (_, i) => hashAt(height + 1 + i));
  return { commonAncestor: hashAt(height), removed, added: [] };
}

/**
 * Changes that delete all blocks above `height` on any branch; the best chain must not have any. Their log index entries stay,
 * unreachable, and so do their state nodes in the archive layout.
 */
export function deletionWrites(store: ChainStore, cache: BlockCache, height: number, bestHeight: number): Write[] {
  const { headers, transactions, uncles, outcomes, receipts, siblings, sideDiffs } = TABLES;
  const writes: Write[] = [];
  for (let number = height + 1; ; number++) {
    const hashes = store.hashesAt(number);
    if (hashes.length === 0 && number > bestHeight) return writes;
    for (const key of hashes) {
      for (const table of [headers, transactions, uncles, outcomes, receipts, sideDiffs]) {
        writes.push({ table, key, value: undefined });
      }
      for (const decoded of [cache.headers, cache.blocks, cache.receipts]) decoded.delete(toHex(key));
    }
    writes.push({ table: siblings, key: numberKey(number), value: undefined });
  }
}
