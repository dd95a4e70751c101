import type { StateReader } from "@cambium/state";
import type { Transaction } from "@cambium/types";

/** A transaction in the pool with its metadata. Only the pool may modify it. */
export interface PooledTransaction {
  readonly transaction: Transaction;
  /** Lower-case hex of the transaction's hash. */
  readonly id: string;
  /** Sender, 20 bytes. */
  readonly sender: Uint8Array;
  /** Whether the transaction continues its account's nonces; otherwise it is queued behind a gap. */
  readonly isPending: boolean;
  /** Whether it was submitted through JSON-RPC, not received from a peer. */
  readonly isLocal: boolean;
  /** Admission counter; orders equal prices. */
  readonly arrival: number;
  /** Start of the transaction's age: time in seconds, and number of the best block without blocks that do not count. */
  readonly since: { readonly time: number; readonly block: number };
}

/** Reasons why a transaction was refused; each code has its own message (`spec/08 §4`, `§5`). */
export type RefusalCode =
  | "SIGNATURE"
  | "ALREADY_PENDING"
  | "ALREADY_QUEUED"
  | "ACCOUNT_ABSENT"
  | "INIT_CODE_SIZE"
  | "SIZE"
  | "REWARD_TRANSACTION"
  | "GAS_LIMIT"
  | "NONCE_LENGTH"
  | "NONCE_ENCODING"
  | "NONCE_TOO_LOW"
  | "NONCE_TOO_HIGH"
  | "BALANCE"
  | "GAS_PRICE_MINIMUM"
  | "INTRINSIC_GAS"
  | "GAS_PRICE_CAP"
  | "GAS_PRICE_BUMP"
  | "QUOTA"
  | "PENDING_FUNDS"
  | "POOL_FULL"
  | "SLOW_SENDER";

/** A refusal. `message` is identical to the deployed client's, except for reasons that it lacks. */
export interface Refusal {
  code: RefusalCode;
  message: string;
  /** Details that the message does not contain. */
  detail?: string;
}

/**
 * Result of an admission. `added` are the transactions to relay. They became pending: first the given one, then its
 * queued successors.
 */
export type AddResult =
  | { kind: "pending"; added: readonly Transaction[] }
  | { kind: "queued" }
  | ({ kind: "refused" } & Refusal);

/** Origin of a transaction. */
export interface AddOptions {
  /** Whether the transaction was submitted through JSON-RPC, not received from a peer; it then survives a restart. */
  local: boolean;
}

/** Reason why transactions became pending. Only `local` and `remote` ones are relayed to peers. */
export type PendingCause = "local" | "remote" | "block" | "reorganisation" | "restart";

/**
 * Reason why a transaction was evicted: no block can have it, its execution takes too long, or a developer dropped it.
 */
export type EvictionReason = "unusable" | "slow" | "dropped";

/** Events for listeners, emitted after the change. Errors of listeners do not affect the pool. */
export type PoolEvent =
  | { kind: "newPending"; transactions: readonly Transaction[]; cause: PendingCause }
  /** The pool has been updated for a new best block. */
  | { kind: "changed" }
  /** Local transactions that became too old; those of peers expire without an event. */
  | { kind: "expired"; transactions: readonly Transaction[] }
  | { kind: "evicted"; transactions: readonly Transaction[]; reason: EvictionReason };

export type PoolListener = (event: PoolEvent) => void;

/**
 * A change of one transaction, for a mirror of the pool. It was added, or moved, as the youngest of its set; it became
 * queued at its place; or it was removed for any reason, including replacement.
 */
export interface PoolChange {
  kind: "added" | "last" | "queued" | "removed";
  pooled: PooledTransaction;
}

export interface PoolCounts {
  pending: number;
  queued: number;
  /** Total encoded size of both sets. */
  bytes: number;
}

/** Read access to the pool. Expired transactions are never returned. */
export interface PoolReader {
  /** Pending transactions, in the order in which they became pending. */
  pending(): readonly PooledTransaction[];
  /** Queued transactions, in the order of arrival. */
  queued(): readonly PooledTransaction[];
  /** Returns a transaction of either set; `eth_getTransactionByHash` shows pending ones only. */
  get(hash: Uint8Array): PooledTransaction | undefined;
  counts(): PoolCounts;
  /** Returns the nonce of the account's next transaction: `eth_getTransactionCount(…, "pending")`. Executes nothing. */
  pendingNonce(address: Uint8Array): bigint;
  /**
   * Returns the state after the best block and the pending transactions (`spec/08 §8`), computed on the first read
   * after a change. Do not retain it.
   */
  pendingState(): StateReader;
  /** Returns the pending transactions in the order for a block (`spec/08 §8`). */
  ordered(): readonly Transaction[];
  /** Returns the result of `eth_gasPrice`, in wei: the low 64 bits of the price. */
  gasPrice(): bigint;
  /** Returns the sender of a transaction that is in the pool or recently passed it; saves a key recovery. */
  knownSender(hash: Uint8Array): Uint8Array | undefined;
}

/** The pool's interface. All calls are synchronous. */
export interface TransactionPoolApi extends PoolReader {
  add(transaction: Transaction, options: AddOptions): AddResult;
  /** Adds transactions in order, with a single event. Results are in the same order. */
  addAll(transactions: readonly Transaction[], options: AddOptions): AddResult[];
  /**
   * Removes transactions. Their successors become queued. The senders of slow ones are refused for some time, or until
   * a block contains one of their transactions.
   */
  evict(hashes: readonly Uint8Array[], reason: EvictionReason): void;
  /** Removes all transactions; for local networks, whose chain can be rewound. */
  clear(): void;
  /** Subscribes to events; returns the function to unsubscribe. */
  on(listener: PoolListener): () => void;
}
