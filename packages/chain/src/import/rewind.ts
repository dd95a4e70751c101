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

/** A block that is not known any more, but whose content is still stored. */
export interface ForgottenBlock {
  readonly number: number;
  readonly hash: Uint8Array;
}

/** All blocks above `height` on any branch, ascending. */
export function blocksAbove(store: ChainStore, height: number, bestHeight: number): ForgottenBlock[] {
  const blocks: ForgottenBlock[] = [];
  for (let number = height + 1; ; number++) {
    const hashes = store.hashesAt(number);
    if (hashes.length === 0 && number > bestHeight) return blocks;
    for (const hash of hashes) blocks.push({ number, hash });
  }
}

/** Changes after which these blocks are not known any more; they must not be on the best chain. */
export function forgettingWrites(blocks: readonly ForgottenBlock[]): Write[] {
  return blocks.flatMap(({ number, hash }) => [
    { table: TABLES.outcomes, key: hash, value: undefined },
    { table: TABLES.siblings, key: numberKey(number), value: undefined },
  ]);
}

/**
 * Changes that delete what is stored of a forgotten block, and the positions of its transactions in it. Its log index entries stay,
 * unreachable, and so do its state nodes in the archive layout.
 */
export function contentDeletion(store: ChainStore, cache: BlockCache, { number, hash }: ForgottenBlock): Write[] {
  const { headers, transactions, uncles, receipts, sideDiffs } = TABLES;
  const writes: Write[] = [headers, transactions, uncles, receipts, sideDiffs].map((table) => {
    return { table, key: hash, value: undefined };
  });
  const best = store.hashAt(number);
  const kept = new Set(best && store.transactionHashes(best)?.map(toHex));
  for (const key of store.transactionHashes(hash) ?? []) {
    const isOfAnother = store.transactionPosition(key)?.number !== number || kept.has(toHex(key));
    if (!isOfAnother) writes.push({ table: TABLES.transactionIndex, key, value: undefined });
  }
  for (const decoded of [cache.headers, cache.blocks, cache.receipts]) decoded.delete(toHex(hash));
  return writes;
}
