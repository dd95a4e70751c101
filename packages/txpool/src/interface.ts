import type { StateReader } from "@cambium/state";
import type { Transaction } from "@cambium/types";

/** A transaction in the pool and what the pool knows about it. Immutable for everyone but the pool. */
export interface PooledTransaction {
  readonly transaction: Transaction;
  /** Lower-case hex of the transaction's hash. */
  readonly id: string;
  /** 20 bytes. */
  readonly sender: Uint8Array;
  /** Whether it continues its account's nonce sequence; otherwise it waits for predecessors. */
  readonly isPending: boolean;
  /** Handed in here (JSON-RPC), not by a peer. */
  readonly isLocal: boolean;
  /** Grows with every admission; orders equal prices. */
  readonly arrival: number;
  /** Local time in seconds, and best block, of the admission or of the later promotion. */
  readonly since: { readonly time: number; readonly block: number };
}

/** Why a transaction was refused; each code has its own message (`spec/08 §4`, `§5`). */
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
  | "POOL_FULL";

/** `message` is what users of the deployed network read, to the letter. */
export interface Refusal {
  code: RefusalCode;
  message: string;
}

/**
 * Outcome of an admission. `added` are the transactions that became pending by it, the given one first and then its
 * successors that were waiting: what is to be relayed.
 */
export type AddResult =
  | { kind: "pending"; added: readonly Transaction[] }
  | { kind: "queued" }
  | ({ kind: "refused" } & Refusal);

/** Where a transaction comes from. */
export interface AddOptions {
  /** Handed in here (JSON-RPC), not by a peer: kept over restarts. */
  local: boolean;
}

/** What made transactions pending. Only `local` and `remote` ones are news to peers. */
export type PendingCause = "local" | "remote" | "block" | "reorganisation" | "restart";

/** What listeners hear, after the fact. A listener's failure is its own. */
export type PoolEvent =
  | { kind: "newPending"; transactions: readonly Transaction[]; cause: PendingCause }
  /** The pool works on a new best block. */
  | { kind: "changed" }
  /** Taken out on behalf of a block builder. */
  | { kind: "evicted"; transactions: readonly Transaction[]; reason: string };

export type PoolListener = (event: PoolEvent) => void;

export interface PoolCounts {
  pending: number;
  queued: number;
  /** Encoded size of both together. */
  bytes: number;
}

/** Everything a reader of the pool needs. Transactions that are too old are never seen. */
export interface PoolReader {
  /** In the order in which they became pending. */
  pending(): readonly PooledTransaction[];
  /** In the order of arrival. */
  queued(): readonly PooledTransaction[];
  /** In either set; `eth_getTransactionByHash` shows pending ones only. */
  get(hash: Uint8Array): PooledTransaction | undefined;
  counts(): PoolCounts;
  /** Nonce of the account's next transaction: `eth_getTransactionCount(…, "pending")`. Executes nothing. */
  pendingNonce(address: Uint8Array): bigint;
  /**
   * State after the best block with the pending transactions executed on top (`spec/08 §8`). Executed on the first read
   * after a change; not to be held on to.
   */
  pendingState(): StateReader;
  /** The pending transactions in the order in which a block builder takes them (`spec/08 §8`). */
  ordered(): readonly Transaction[];
  /** `eth_gasPrice`, in wei: the low 64 bits of the price. */
  gasPrice(): bigint;
  /** Sender of a transaction that passed the pool lately; saves a key recovery. */
  knownSender(hash: Uint8Array): Uint8Array | undefined;
}

/** The pool as its users see it. Single-threaded: every call is done when it returns. */
export interface TransactionPoolApi extends PoolReader {
  add(transaction: Transaction, options: AddOptions): AddResult;
  /** One after the other; one event for all. Results in the order given. */
  addAll(transactions: readonly Transaction[], options: AddOptions): AddResult[];
  /** Takes out what a block builder found unusable. Successors wait in the queue for a replacement. */
  evict(hashes: readonly Uint8Array[], reason: string): void;
  /** Takes out everything: for local networks, whose chain can be set back. */
  clear(): void;
  /** Calls `listener` for everything from now on; returns how to stop. */
  on(listener: PoolListener): () => void;
}
