import { Transaction } from "@cambium/types";
import type { PooledTransaction } from "./interface.js";

/** A pooled transaction with what only the pool sees and changes. */
export class Entry implements PooledTransaction {
  readonly nonce: bigint;
  readonly gasPrice: bigint;
  /** Encoded bytes. */
  readonly size: number;
  isPending = false;
  /** Whether its virtual gas has been taken from the sender's quota. */
  isPaid = false;

  constructor(
    public transaction: Transaction,
    readonly id: string,
    readonly account: Account,
    /** Most it can take from its sender. */
    readonly cost: bigint,
    readonly isLocal: boolean,
    readonly arrival: number,
    public since: { time: number; block: number },
  ) {
    this.nonce = transaction.nonce;
    this.gasPrice = transaction.gasPrice;
    this.size = transaction.size;
  }

  get sender(): Uint8Array {
    return this.account.sender;
  }
}

/**
 * An account's transactions, one for each nonce, ascending: first the pending ones, which leave out no nonce, then the
 * queued ones.
 */
export class Account {
  readonly entries: Entry[] = [];
  pendingCount = 0;

  constructor(
    readonly key: string,
    readonly sender: Uint8Array,
  ) {}

  get queuedCount(): number {
    return this.entries.length - this.pendingCount;
  }

  get lastPending(): Entry | undefined {
    return this.entries[this.pendingCount - 1];
  }

  get firstQueued(): Entry | undefined {
    return this.entries[this.pendingCount];
  }

  at(nonce: bigint): Entry | undefined {
    return this.entries.find((entry) => entry.nonce === nonce);
  }
}

/**
 * The transaction in memory of its own: a decoded one keeps views of the message it came in, which may be many times as
 * large, and that would stay for as long as the transaction.
 */
export function inOwnMemory(transaction: Transaction): Transaction {
  const { nonceBytes, gasLimitBytes, to, data, size } = transaction;
  const kept = Math.max(...[nonceBytes, gasLimitBytes, to, data].map(({ buffer }) => buffer.byteLength));
  if (kept <= 2 * size) return transaction;
  const own = Transaction.decode(transaction.encoded.slice());
  if (transaction.sender !== undefined) own.setSender(transaction.sender);
  return own;
}
