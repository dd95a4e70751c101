import type { Rules } from "@cambium/config";

/**
 * The account state at one point, for reading. An address is 20 bytes, or the single byte 00 for the sender of reward
 * transactions (`spec/05 §2.4`). Reading never creates anything. Implementations are synchronous.
 */
export interface StateReader {
  exists(address: Uint8Array): boolean;
  /** 0 for an absent account. */
  getNonce(address: Uint8Array): bigint;
  /** 0 for an absent account. Negative only inside a free bridge transaction (`spec/04 §2.3`). */
  getBalance(address: Uint8Array): bigint;
  /** Whether the storage marker is set (`spec/01 §4.5`). */
  isContract(address: Uint8Array): boolean;
  /** Empty when there is none or the account is absent. */
  getCode(address: Uint8Array): Uint8Array;
  getCodeSize(address: Uint8Array): number;
  /** What EXTCODEHASH sees, 32 bytes (`spec/04 §3.5` cases 2 to 5; precompiles are the caller's case). */
  getCodeHash(address: Uint8Array, rules: Rules): Uint8Array;
  /** A cell as an EVM word; absent is 0. Throws {@link StateError} `CELL_TOO_LONG` on a cell of over 32 bytes. */
  getStorage(address: Uint8Array, slot: bigint): bigint;
  /** A cell as stored, or undefined when absent; `key` has 32 bytes. For native contracts. */
  getStorageBytes(address: Uint8Array, key: Uint8Array): Uint8Array | undefined;
}

/** Immutable state at a root. */
export interface StateView extends StateReader {
  readonly root: Uint8Array;
  /** Every cell of an account in trie order: 32-byte key, stored bytes. */
  storageEntries(address: Uint8Array): Iterable<{ key: Uint8Array; value: Uint8Array }>;
  /**
   * Node messages that prove an account record, or its absence, against {@link root}: root node first, every visited node
   * (`spec/09 §11`).
   */
  accountProof(address: Uint8Array): Uint8Array[];
  /** The same of one cell; a value of over 32 bytes, which its node only names by hash, is the last element. */
  storageProof(address: Uint8Array, key: Uint8Array): Uint8Array[];
  /** Hash of the node under which the account's cells are; undefined when it has no storage. */
  storageRoot(address: Uint8Array): Uint8Array | undefined;
  /** Every account in trie order. */
  accounts(): Iterable<{ address: Uint8Array; nonce: bigint; balance: bigint }>;
}

/** Position in the undo log; valid until an earlier checkpoint is reverted. */
export type Checkpoint = number;

/** State under change: the block's working copy over a {@link StateView}. */
export interface WorldState extends StateReader {
  /** Marks the present point. Keeping the changes made since then needs no call; dropping them is {@link revertTo}. */
  checkpoint(): Checkpoint;
  revertTo(checkpoint: Checkpoint): void;

  /** Writes nonce 0 over whatever is there (code, marker and cells stay); the balance is kept only if asked for. */
  createAccount(address: Uint8Array, keepBalance?: boolean): void;
  /** Creates the account if absent. */
  setNonce(address: Uint8Array, nonce: bigint): void;
  /** Creates the account if absent. */
  incrementNonce(address: Uint8Array): void;
  /** Creates the account if absent, even for 0; adding 0 to an existing account writes nothing (`spec/04 §7.1`). */
  addBalance(address: Uint8Array, amount: bigint): void;
  /** Two balance additions, `from` then `to`, even for 0. No check of the balance. */
  transfer(from: Uint8Array, to: Uint8Array, amount: bigint): void;
  /** Sets the storage marker; does not create the account. */
  markContract(address: Uint8Array): void;
  /** Non-empty code creates an absent account; empty code removes the code node when it reaches the trie. */
  setCode(address: Uint8Array, code: Uint8Array): void;
  /** Zero deletes. Writing to an absent account creates account and marker first, even for a deletion. */
  setStorage(address: Uint8Array, slot: bigint, value: bigint): void;
  /** Raw cell of a native contract, any length; undefined or empty deletes. Same account rule as {@link setStorage}. */
  setStorageBytes(address: Uint8Array, key: Uint8Array, value: Uint8Array | undefined): void;
  /** Removes account, marker, code and cells; a no-op if the account is absent. Later writes survive. */
  deleteAccount(address: Uint8Array): void;

  getTransientStorage(address: Uint8Array, slot: bigint): bigint;
  /** Zero deletes. Reverted with checkpoints, dropped by {@link clearTransientStorage}. */
  setTransientStorage(address: Uint8Array, slot: bigint, value: bigint): void;
  clearTransientStorage(): void;

  /** Records the keys touched from now on (RSKIP-144, `spec/02 §6.4`); undefined stops. Never rolled back. */
  trackKeys(tracker: KeyTracker | undefined): void;
}

/** Keys read and written by one execution list, in a form that can be compared; see `spec/02 §6.4`, "Tracked keys". */
export interface KeyTracker {
  readonly reads: Set<string>;
  readonly writes: Set<string>;
}
