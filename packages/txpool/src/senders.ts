import { LruCache, toHex } from "@cambium/primitives";
import type { Transaction } from "@cambium/types";

/** Senders of recent transactions by hash, so that each is recovered once (`spec/08 §12`). */
export class SenderCache {
  private readonly senders: LruCache<string, Uint8Array>;

  constructor(capacity: number) {
    this.senders = new LruCache(capacity);
  }

  known(hash: Uint8Array): Uint8Array | undefined {
    return this.senders.get(toHex(hash));
  }

  /** Returns the transaction's sender, recovered if not cached; undefined if it cannot be recovered. */
  of(transaction: Transaction): Uint8Array | undefined {
    const id = toHex(transaction.hash);
    if (!transaction.hasSender) {
      const known = this.senders.get(id);
      if (known !== undefined) transaction.setSender(known);
    }
    const { sender } = transaction;
    if (sender !== undefined) this.senders.set(id, sender);
    return sender;
  }
}
