import type { Rules } from "@cambium/config";

/**
 * Read access to the account state at one point. An address is 20 bytes, or the single byte 00 for the sender of reward
 * transactions (`spec/05 §2.4`). Reads never create anything and are synchronous.
 */
export interface StateReader {
  exists(address: Uint8Array): boolean;
  /** Returns the nonce; 0 for an absent account. */
  getNonce(address: Uint8Array): bigint;
  /** Returns the balance; 0 for an absent account. Negative only inside a free bridge transaction (`spec/04 §2.3`). */
  getBalance(address: Uint8Array): bigint;
  /** Whether the storage marker is set (`spec/01 §4.5`). */
  isContract(address: Uint8Array): boolean;
  /** Returns the code; empty if the account is absent or has none. */
  getCode(address: Uint8Array): Uint8Array;
  getCodeSize(address: Uint8Array): number;
  /** Returns the 32 bytes that EXTCODEHASH pushes (`spec/04 §3.5`, cases 2 to 5; the caller handles precompiles). */
  getCodeHash(address: Uint8Array, rules: Rules): Uint8Array;
  /**
   * Returns a cell as an EVM word, 0 if absent. Throws {@link StateError} `CELL_TOO_LONG` if the cell has more than 32
   * bytes.
   */
  getStorage(address: Uint8Array, slot: bigint): bigint;
  /** Returns a cell as stored, undefined if absent; `key` has 32 bytes. For native contracts. */
  getStorageBytes(address: Uint8Array, key: Uint8Array): Uint8Array | undefined;
}

/** Immutable state at a root. */
export interface StateView extends StateReader {
  readonly root: Uint8Array;
  /** Yields every cell of an account in trie order: 32-byte key, stored bytes. */
  storageEntries(address: Uint8Array): Iterable<{ key: Uint8Array; value: Uint8Array }>;
  /**
   * Returns trie nodes that prove an account record, or its absence, against {@link root}: every visited node, root
   * first (`spec/09 §11`).
   */
  accountProof(address: Uint8Array): Uint8Array[];
  /**
   * Returns the proof for one cell, like {@link accountProof}. A value of more than 32 bytes, which its node references
   * by hash, is the last element.
   */
  storageProof(address: Uint8Array, key: Uint8Array): Uint8Array[];
  /** Returns the hash of the node that holds the account's cells, undefined if it has no storage. */
  storageRoot(address: Uint8Array): Uint8Array | undefined;
  /** Yields every account in trie order. */
  accounts(): Iterable<{ address: Uint8Array; nonce: bigint; balance: bigint }>;
}

/** Position in the undo log, valid until an earlier checkpoint is reverted. */
export type StateCheckpoint = number;

/** Mutable state: a block's working copy over a {@link StateView}. */
export interface WorldState extends StateReader {
  /** Marks the current position. {@link revertTo} drops later changes; keeping them needs no call. */
  checkpoint(): StateCheckpoint;
  revertTo(checkpoint: StateCheckpoint): void;

  /** Resets the nonce to 0, and the balance unless `keepBalance` is set. Code, marker and cells stay. */
  createAccount(address: Uint8Array, keepBalance?: boolean): void;
  /** Sets the nonce; creates the account if absent. */
  setNonce(address: Uint8Array, nonce: bigint): void;
  /** Increments the nonce; creates the account if absent. */
  incrementNonce(address: Uint8Array): void;
  /**
   * Adds to the balance. Creates the account if absent, even for 0; adding 0 to an existing account writes nothing
   * (`spec/04 §7.1`).
   */
  addBalance(address: Uint8Array, amount: bigint): void;
  /** Adds to both balances, `from` first, even if `amount` is 0. Does not check the balance. */
  transfer(from: Uint8Array, to: Uint8Array, amount: bigint): void;
  /** Sets the storage marker; does not create the account. */
  markContract(address: Uint8Array): void;
  /** Sets the code. Non-empty code creates an absent account. Empty code removes the code node at commit. */
  setCode(address: Uint8Array, code: Uint8Array): void;
  /**
   * Sets a cell; zero deletes. Writing to an absent account first creates the account and its marker, even if the write
   * is a deletion.
   */
  setStorage(address: Uint8Array, slot: bigint, value: bigint): void;
  /**
   * Sets a raw cell of a native contract, of any length; undefined or empty deletes. Creates accounts as
   * {@link setStorage} does.
   */
  setStorageBytes(address: Uint8Array, key: Uint8Array, value: Uint8Array | undefined): void;
  /** Removes account, marker, code and cells; does nothing if the account is absent. Later writes survive. */
  deleteAccount(address: Uint8Array): void;

  getTransientStorage(address: Uint8Array, slot: bigint): bigint;
  /**
   * Sets a cell of transient storage; zero deletes. Reverted with checkpoints, cleared by
   * {@link clearTransientStorage}.
   */
  setTransientStorage(address: Uint8Array, slot: bigint, value: bigint): void;
  clearTransientStorage(): void;

  /**
   * Records the keys accessed from now on (RSKIP-144, `spec/02 §6.4`); undefined stops. Records are never rolled back.
   */
  trackKeys(tracker: KeyTracker | undefined): void;
}

/** Keys read and written by one execution list, in comparable form (`spec/02 §6.4`, "Tracked keys"). */
export interface KeyTracker {
  readonly reads: Set<string>;
  readonly writes: Set<string>;
}
