import { Transaction } from "@cambium/types";
import type { PooledTransaction } from "./interface.js";

/** A pooled transaction with the pool's internal, mutable data. */
export class Entry implements PooledTransaction {
  readonly nonce: bigint;
  readonly gasPrice: bigint;
  /** Encoded size in bytes. */
  readonly size: number;
  isPending = false;
  /** Whether its virtual gas has been charged to the sender's quota. */
  isPaid = false;

  constructor(
    public transaction: Transaction,
    readonly id: string,
    readonly account: PooledAccount,
    /** Maximum cost for its sender, in wei. */
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
 * An account's transactions, one for each nonce, ascending: first the pending ones, without a nonce gap, then the
 * queued ones.
 */
export class PooledAccount {
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
 * Copies the transaction into its own memory. A decoded one holds views of its network message, which may be many times
 * larger and would be kept alive.
 */
export function inOwnMemory(transaction: Transaction): Transaction {
  const { nonceBytes, gasLimitBytes, to, data, size } = transaction;
  let kept = 0;
  for (const { buffer } of [nonceBytes, gasLimitBytes, to, data]) kept = Math.max(kept, buffer.byteLength);
  if (kept <= 2 * size) return transaction;
  const own = Transaction.decode(transaction.encoded.slice());
  if (transaction.sender !== undefined) own.setSender(transaction.sender);
  return own;
}
