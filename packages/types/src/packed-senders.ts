import type { Transaction } from "./transaction.js";

// Packed senders, the form in which threads exchange them: 20 bytes for each transaction; zeros if it is not signed or
// the sender is unknown.

/** Length of a packed sender. */
export const SENDER_BYTES = 20;

/** Packs senders in the order of their transactions. */
export function packSenders(senders: readonly (Uint8Array | undefined)[]): Uint8Array {
  const packed = new Uint8Array(senders.length * SENDER_BYTES);
  for (const [index, sender] of senders.entries()) if (sender !== undefined) packed.set(sender, index * SENDER_BYTES);
  return packed;
}

/** Packs the senders that are known without a recovery. */
export function packKnownSenders(transactions: readonly Transaction[]): Uint8Array {
  return packSenders(transactions.map((one) => (one.isSigned && one.hasSender ? one.sender : undefined)));
}

/**
 * Sets packed senders on their transactions, as views of the packed bytes. Does nothing if their number differs from
 * that of the transactions.
 */
export function applySenders(transactions: readonly Transaction[], packed: Uint8Array): void {
  if (packed.length !== transactions.length * SENDER_BYTES) return;
  for (const [index, transaction] of transactions.entries()) applySender(transaction, index, packed);
}

/** Sets the sender of the transaction at an index of a block, as a view of the packed bytes. */
export function applySender(transaction: Transaction, index: number, packed: Uint8Array): void {
  if (transaction.hasSender) return;
  const sender = packed.subarray(index * SENDER_BYTES, (index + 1) * SENDER_BYTES);
  if (sender.some((byte) => byte !== 0)) transaction.setSender(sender);
}

/** Whether all senders are known, except that of the last transaction: the reward transaction has none. */
export function areSendersComplete(packed: Uint8Array): boolean {
  for (let at = 0; at < packed.length - SENDER_BYTES; at += SENDER_BYTES) {
    if (packed.subarray(at, at + SENDER_BYTES).every((byte) => byte === 0)) return false;
  }
  return true;
}
