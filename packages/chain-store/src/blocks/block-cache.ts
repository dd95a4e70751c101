import { LruCache } from "@cambium/primitives";
import type { Block, BlockHeader, Receipt } from "@cambium/types";

const CACHED_HEADERS = 2048;
const CACHED_BLOCKS = 64;

/** Decoded values by block hash. They never change, so all readers of a database may share one cache. */
export class BlockCache {
  readonly headers = new LruCache<string, BlockHeader>(CACHED_HEADERS);
  readonly blocks = new LruCache<string, Block>(CACHED_BLOCKS);
  readonly receipts = new LruCache<string, readonly Receipt[]>(CACHED_BLOCKS);
  /**
   * Uncles of blocks that are not cached. Contracts read the uncles of old blocks for little gas, although the blocks
   * may have megabytes of extra data.
   */
  readonly uncles = new LruCache<string, readonly BlockHeader[]>(CACHED_BLOCKS);
}
