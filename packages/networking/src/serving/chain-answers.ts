import type { ChainReader } from "@cambium/chain";
import type { BlockHeader } from "@cambium/types";
import type { BlockBody, BlockId, SnapshotBlock } from "../interface.js";
import { MAX_SNAPSHOT_BLOCKS, SKELETON_STEP } from "../shared/limits.js";
import { splitTransactions } from "../shared/transactions.js";

/** Maximum size of a block's total difficulty and of the RLP prefixes, in bytes. */
const BLOCK_OVERHEAD = 32;

/**
 * Returns a skeleton (`spec/07 §B.5`): b, b + 192, … below m, then m, where m is the last requested height or the best
 * block. Undefined above the best block and below the lowest one.
 */
export function skeletonFrom(chain: ChainReader, start: number, count: number): BlockId[] | undefined {
  const best = chain.best().header.number;
  if (start > best) return undefined;
  const first = start - (start % SKELETON_STEP);
  const last = Math.min(best, first + (count - 1) * SKELETON_STEP);
  const entries: BlockId[] = [];
  for (let number = first; entries.at(-1)?.number !== last; number = Math.min(last, number + SKELETON_STEP)) {
    const hash = chain.hashByNumber(number);
    if (hash === undefined) return undefined;
    entries.push({ number, hash });
  }
  return entries;
}

/**
 * Yields the headers of any known block and its ancestors. Ends early at genesis, and where older headers are missing.
 */
export function* headersFrom(chain: ChainReader, hash: Uint8Array, count: number): Iterable<BlockHeader> {
  let header = chain.headerByHash(hash);
  for (let left = count; header !== undefined && left > 0; left--) {
    yield header;
    header = header.number === 0 ? undefined : chain.headerByHash(header.parentHash);
  }
}

/**
 * Returns the stored body and the fields that the compressed form of the header omits; undefined if the block is not
 * known.
 */
export function bodyOf(chain: ChainReader, hash: Uint8Array): BlockBody | undefined {
  const stored = chain.encodedBody(hash);
  const header = stored === undefined ? undefined : chain.headerByHash(hash);
  if (stored === undefined || header === undefined) return undefined;
  return {
    hash,
    transactions: splitTransactions(stored.transactions),
    uncles: stored.uncles,
    extension: header.version === 0 ? undefined : header.encodeExtension(),
  };
}

/**
 * Yields the blocks below a height, ascending: at most 400, and at most `maxBytes` in all. Yields no blocks above the
 * best one.
 */
export function* blocksBelow(chain: ChainReader, below: number, maxBytes: number): Iterable<SnapshotBlock> {
  for (const hash of hashesBelow(chain, below, maxBytes)) {
    const encoded = chain.encodedBlock(hash);
    const totalDifficulty = chain.totalDifficulty(hash);
    if (encoded === undefined || totalDifficulty === undefined) return;
    yield { encoded, totalDifficulty };
  }
}

function hashesBelow(chain: ChainReader, below: number, maxBytes: number): Uint8Array[] {
  const hashes: Uint8Array[] = [];
  if (below > chain.best().header.number) return hashes;
  let room = maxBytes;
  for (let number = below - 1; number > 0 && hashes.length < MAX_SNAPSHOT_BLOCKS; number--) {
    const hash = chain.hashByNumber(number);
    const encoded = hash && chain.encodedBlock(hash);
    if (encoded === undefined || (room -= encoded.length + BLOCK_OVERHEAD) < 0) break;
    hashes.push(hash!);
  }
  return hashes.reverse();
}

/** Returns the highest blocks that fit into `maxBytes`, at least one: peers can request the lower ones separately. */
export function fittingBlocks(blocks: readonly SnapshotBlock[], maxBytes: number): readonly SnapshotBlock[] {
  let room = maxBytes;
  let first = blocks.length;
  while (first > 0 && (room -= blocks[first - 1]!.encoded.length + BLOCK_OVERHEAD) >= 0) first--;
  return blocks.slice(Math.min(first, blocks.length - 1));
}
