import {
  type BlockCache,
  ChainError,
  type ChainStore,
  type Reorganisation,
  sendersKey,
  TABLES,
} from "@cambium/chain-store";
import { numberKey, type Write } from "@cambium/database";
import { toHex } from "@cambium/primitives";

/**
 * Returns the blocks that leave the best chain if its block at `height` becomes the best one. Their hashes are read
 * when a listener first uses them; usually none does. Reading them throws {@link ChainError} `DATABASE_DAMAGED` if one
 * is missing.
 */
export function rewinding(store: ChainStore, height: number, bestHeight: number): Reorganisation {
  const hashAt = (number: number): Uint8Array => {
    const hash = store.hashAt(number);
    if (hash !== undefined) return hash;
    throw new ChainError({ code: "DATABASE_DAMAGED", what: "hash of the best chain", key: numberKey(number) });
  };
  let removed: readonly Uint8Array[] | undefined;
  return {
    commonAncestor: hashAt(height),
    get removed() {
      removed ??= Array.from({ length: bestHeight - height }, (_, i) => hashAt(height + 1 + i));
      return removed;
    },
    added: [],
  };
}

/** Number of the highest block on any branch; `bestHeight` is that of the best one. */
export function highestNumber(store: ChainStore, bestHeight: number): number {
  let highest = bestHeight;
  while (store.hashesAt(highest + 1).length > 0) highest++;
  return highest;
}

/**
 * Returns changes that delete all blocks with a number; `hashes` are their hashes. None of them may be on the best
 * chain.
 */
export function deletion(store: ChainStore, cache: BlockCache, number: number, hashes: readonly Uint8Array[]): Write[] {
  const { bestChain, siblings, stateDiffs } = TABLES;
  const key = numberKey(number);
  return [
    ...[bestChain, siblings, stateDiffs].map((table) => ({ table, key, value: undefined })),
    ...hashes.flatMap((hash) => blockDeletion(store, cache, number, hash)),
  ];
}

/**
 * Returns changes that delete the data of a block, and the positions of its transactions in it. Its log index entries
 * stay, unreachable, and so do its state nodes in the archive layout.
 */
function blockDeletion(store: ChainStore, cache: BlockCache, number: number, hash: Uint8Array): Write[] {
  const { outcomes, headers, transactions, uncles, receipts, sideDiffs } = TABLES;
  const writes: Write[] = [outcomes, headers, transactions, uncles, receipts, sideDiffs].map((table) => {
    return { table, key: hash, value: undefined };
  });
  writes.push({ table: TABLES.senders, key: sendersKey({ number, hash }), value: undefined });
  for (const key of store.transactionHashes(hash) ?? []) {
    const isHere = store.transactionPosition(key)?.number === number;
    if (isHere) writes.push({ table: TABLES.transactionIndex, key, value: undefined });
  }
  for (const decoded of [cache.headers, cache.blocks, cache.receipts, cache.uncles]) decoded.delete(toHex(hash));
  return writes;
}
