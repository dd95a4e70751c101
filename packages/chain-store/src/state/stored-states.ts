import type { Database, KeyValueReader, Write } from "@cambium/database";
import type { KeyedState } from "@cambium/state";
import type { Reorganisation } from "../interface.js";
import type { BlockOutcome } from "../tables/block-outcome.js";

/** How a database stores states; chosen when it is created. */
export type StateLayout =
  /** The newest state as a table of values and as a trie, and the changes of each block. */
  | "flat"
  /** The tries of all blocks. */
  | "archive";

/** Identifies a block. */
export interface BlockId {
  readonly number: number;
  readonly hash: Uint8Array;
}

/** The best block and the root of its state. */
export interface BestState extends BlockId {
  readonly stateRoot: Uint8Array;
}

/** Blocks of the best chain that changed a value. Throws {@link ChainError} `STATE_UNAVAILABLE` below the history. */
export interface ValueChanges {
  /** Number of the last block up to `number` that changed the value of a key; undefined if there is none. */
  lastChangeUpTo(key: Uint8Array, number: number): number | undefined;
  /** Number of the first block above `number` that did. */
  firstChangeAbove(key: Uint8Array, number: number): number | undefined;
}

/** Reads states from a database, to which another thread may write. */
export interface StoredStates {
  readonly layout: StateLayout;
  /** Undefined if it is not stored which block changed a value. */
  readonly changes?: ValueChanges;
  /** State after a stored block; undefined if it can no longer be read. */
  after(block: BlockId, outcome: BlockOutcome): KeyedState | undefined;
}

/** The states of a chain that imports blocks, in the thread that imports. */
export interface StateWriter extends StoredStates {
  /**
   * Changes that store the state of a new block, which {@link after} returned and `JournaledState` changed. `change` is
   * undefined if the block does not become the best one.
   */
  accept(block: BlockId, state: KeyedState, change: Reorganisation | undefined, options?: AcceptOptions): Write[];
  /** Changes of stored states when blocks leave the best chain and none join. */
  rewind(change: Reorganisation, target: BlockId): Write[];
  /**
   * Works like {@link rewind}, if the blocks above the target are no longer known: their states are not readable then.
   * The caller deletes the data stored under their numbers and hashes.
   */
  forget(target: BlockId): Write[];
  /** Notes the best block, so that {@link forget} need not read the changes of each block above it. */
  mark(): void;
  /**
   * Returns functions whose changes remove obsolete data, in batches; `database` is the one that is read. The changes
   * must be written when they are returned, in order with those of the other methods. They may be empty.
   */
  garbage(database: Database): AsyncIterable<() => Write[]>;
  /**
   * Returns changes after which other threads can read the trie of the best block, if a kill has left the stored one
   * far behind.
   */
  catchUp(): Write[];
  /** Changes that shorten the work after the next opening. */
  close(): Write[];
}

export interface AcceptOptions {
  /** Whether the trie of the block's state remains readable for some thousand blocks, for snapshots. */
  pin?: boolean;
  /**
   * Whether the chain is far behind: larger batches are then written, and other threads may not be able to read the
   * newest tries.
   */
  isBehind?: boolean;
}

/** Access to stored states and to the blocks that refer to them. */
export interface StateSource {
  reader: KeyValueReader;
  /** Hash of a stored block's parent. */
  parentOf(hash: Uint8Array): Uint8Array | undefined;
  /** Hashes of all stored blocks with a number. */
  hashesAt(number: number): readonly Uint8Array[];
}
