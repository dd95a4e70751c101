export interface FlatStateOptions {
  /** Number of blocks below the best one whose states remain readable; by default all. */
  history?: number;
  /** Number of blocks for which diffs are always kept, for reorganisations and snapshots; more than `maxBlocks`. */
  minHistory?: number;
  /**
   * Number of changed keys, or of blocks, after which the trie is written. After a kill, unwritten changes are applied
   * again. The default is several times as high while the chain is far behind ({@link timesBehind}).
   */
  maxChanges?: number;
  maxBlocks?: number;
  /**
   * Minimum bytes of a storage, as the trie counts them, at which a tombstone replaces it when its account is
   * destroyed, instead of the removal of each cell; at least 1,024.
   */
  largeStorage?: number;
}

/** Bytes of a storage of some 64 cells. */
export const LARGE_STORAGE = 4_096;

const MIN_HISTORY = 10_000;
const MAX_CHANGES = 8_192;
const MAX_BLOCKS = 1_024;
/**
 * Bytes of memory for {@link MAX_CHANGES}, in memory and while they are written, and for the rest of the process during
 * that time.
 */
const MEMORY_OF_CHANGES = 512 * 2 ** 20;
const MAX_TIMES_BEHIND = 8;

/** Number of the lowest block whose state remains readable if `best` is the best one. */
export function historyStart(best: number, { history, minHistory }: FlatStateOptions = {}): number {
  return Math.max(best - Math.max(history ?? Number.POSITIVE_INFINITY, minHistory ?? MIN_HISTORY), 0);
}

/**
 * Returns the factor by which batches are larger while the chain is far behind: larger batches share more trie nodes.
 * `available`: bytes of memory.
 */
export function timesBehind(available = process.availableMemory()): number {
  return Math.min(Math.max(Math.floor(available / MEMORY_OF_CHANGES), 1), MAX_TIMES_BEHIND);
}

/** Numbers of changes and of blocks after which the trie is written; `times`: see {@link timesBehind}. */
export function trieInterval(options: FlatStateOptions, times: number): { maxChanges: number; maxBlocks: number } {
  const { maxChanges = times * MAX_CHANGES, maxBlocks = times * MAX_BLOCKS } = options;
  return { maxChanges, maxBlocks };
}
