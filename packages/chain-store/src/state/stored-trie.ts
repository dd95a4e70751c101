import { mapKey, type Write } from "@cambium/database";
import { equalBytes, joinBytes } from "@cambium/primitives";
import type { Trie } from "@cambium/trie";
import { FACTS, TABLES } from "../tables/tables.js";
import { type FlatStateOptions, timesBehind, trieInterval } from "./flat-state-options.js";
import { encodeTrieBlock, type FlatTables, pinnedKey, type TrieBlock } from "./flat-tables.js";
import type { BestState, BlockId } from "./stored-states.js";
import { type StorageIds, storedPlaces } from "./tombstone.js";

/** Number of tries that remain readable: while one of them is served, the next one is prepared. */
const PINNED = 2;

/** The trie in the database, and those of earlier blocks that are still readable, for the thread that writes them. */
export class StoredTrie {
  /** Number of changes since it was stored: known if the newest trie is open. */
  changes = 0;
  private pinned: readonly TrieBlock[];
  private readonly timesBehind = timesBehind();

  constructor(
    private readonly tables: FlatTables,
    private readonly options: FlatStateOptions,
    /** The block whose state it is. */
    public block: BlockId,
  ) {
    this.pinned = tables.pinned();
  }

  isOf({ hash }: BlockId): boolean {
    return equalBytes(this.block.hash, hash);
  }

  /** Whether more has changed than should be applied again after a kill. */
  isDue(best: BlockId, isBehind = false): boolean {
    const { maxChanges, maxBlocks } = trieInterval(this.options, isBehind ? this.timesBehind : 1);
    return this.changes >= maxChanges || Math.abs(best.number - this.block.number) >= maxBlocks;
  }

  /** Stores the trie of another block instead. */
  replace(block: BlockId, trie: Trie, ids: StorageIds, writes: Write[]): void {
    const storedPlace = storedPlaces(ids);
    const root = trie.saveByPlace({
      put: (place, message) => {
        const key = storedPlace(place);
        this.keepPinned(key, writes);
        this.tables.unwritten?.set(mapKey(key), message);
        writes.push({ table: TABLES.trieNodes, key, value: message });
      },
    });
    writes.push({ table: TABLES.facts, key: FACTS.trieBlock, value: encodeTrieBlock({ ...block, root }) });
    this.block = block;
    this.changes = 0;
  }

  /**
   * Whether the trie of a block, which must be stored, can be pinned. After a rewind, none can up to the highest pinned
   * number, because nodes are kept by number.
   */
  canPin({ number }: BlockId): boolean {
    return this.pinned.every((block) => block.number < number);
  }

  /** Pins the stored trie; an older one may be forgotten. */
  pin({ number, hash, stateRoot: root }: BestState, writes: Write[]): void {
    this.pinned = [...this.pinned, { number, hash, root }].slice(-PINNED);
    writes.push({ table: TABLES.facts, key: FACTS.pinned, value: joinBytes(this.pinned.map(encodeTrieBlock)) });
  }

  /** Number of the lowest block whose trie is pinned. */
  get lowestPinned(): number {
    return this.pinned[0]?.number ?? Number.POSITIVE_INFINITY;
  }

  /** Keeps the node at a place, which is about to be replaced, for the pinned tries that have it. */
  private keepPinned(place: Uint8Array, writes: Write[]): void {
    const newest = this.pinned.at(-1);
    if (newest === undefined) return;
    const { reader } = this.tables;
    const key = pinnedKey(newest.number, place);
    const message = reader.get(TABLES.trieNodes, place);
    if (message === undefined || reader.get(TABLES.pinnedNodes, key) !== undefined) return;
    writes.push({ table: TABLES.pinnedNodes, key, value: message });
  }
}
