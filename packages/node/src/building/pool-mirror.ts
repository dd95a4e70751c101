import type { NetworkConfig } from "@cambium/config";
import { joinBytes } from "@cambium/primitives";
import { packKnownSenders, recogniseImpersonated, Transaction } from "@cambium/types";

/** The pending transactions in their order for a block, for a thread that may already have most of them. */
export interface PoolUpdate {
  /** A number for each transaction. */
  order: Uint32Array;
  /** Transactions that the thread does not have, in the same order: their concatenated encodings, and their sizes. */
  encoded: Uint8Array;
  sizes: Uint32Array;
  /** Senders of these transactions, 20 bytes each; zeros for an unknown sender. */
  senders: Uint8Array;
}

const SENDER_LENGTH = 20;

/** Numbers the pool's transactions, so that each is sent to a thread once. */
export class PoolMirrorSender {
  private numbers = new Map<Transaction, number>();
  private lastNumber = 0;

  /**
   * Returns the update for a list. Updates must be sent in the order of these calls, because each omits the
   * transactions of the previous ones.
   */
  update(ordered: readonly Transaction[]): PoolUpdate {
    const numbers = new Map<Transaction, number>();
    const added: Transaction[] = [];
    for (const transaction of ordered) {
      const known = this.numbers.get(transaction);
      if (known === undefined) added.push(transaction);
      numbers.set(transaction, known ?? ++this.lastNumber);
    }
    this.numbers = numbers;
    return {
      order: Uint32Array.from(numbers.values()),
      encoded: joinBytes(added.map(({ encoded }) => encoded)),
      sizes: Uint32Array.from(added, ({ size }) => size),
      senders: packKnownSenders(added),
    };
  }

  /** Returns the transaction with a number, if the last update contains it. */
  transactionOf(number: number): Transaction | undefined {
    for (const [transaction, own] of this.numbers) if (own === number) return transaction;
    return undefined;
  }

  /** Makes the next update send everything, because the last one may not have arrived. */
  forget(): void {
    this.numbers.clear();
  }
}

/** The thread's copy of the pending transactions: those of the last update. */
export class PoolMirror {
  private transactions = new Map<number, Transaction>();
  private readonly numbers = new WeakMap<Transaction, number>();

  constructor(private readonly network: NetworkConfig) {}

  /** Returns the pending transactions in their order. */
  apply({ order, encoded, sizes, senders }: PoolUpdate): Transaction[] {
    const transactions = new Map<number, Transaction>();
    let added = 0;
    let offset = 0;
    for (const number of order) {
      let transaction = this.transactions.get(number);
      if (transaction === undefined) {
        // Copied because this transaction may be kept longer than others in the same message.
        transaction = Transaction.decode(encoded.slice(offset, offset + sizes[added]!));
        const sender = senders.slice(added * SENDER_LENGTH, (added + 1) * SENDER_LENGTH);
        if (sender.some((byte) => byte !== 0)) transaction.setSender(sender);
        else recogniseImpersonated([transaction], this.network);
        this.numbers.set(transaction, number);
        offset += sizes[added]!;
        added++;
      }
      transactions.set(number, transaction);
    }
    this.transactions = transactions;
    return [...transactions.values()];
  }

  /** Returns the number of a transaction from an update; 0 for others. */
  numberOf(transaction: Transaction): number {
    return this.numbers.get(transaction) ?? 0;
  }
}
