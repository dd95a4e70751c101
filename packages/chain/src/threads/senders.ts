import type { Block } from "@cambium/types";

/** Length of a signer's address in bytes. */
export const SENDER_LENGTH = 20;

/** Sets recovered signers on the transactions of their block. */
export function applySenders(block: Block, senders: Uint8Array): void {
  if (senders.length !== block.transactions.length * SENDER_LENGTH) return;
  for (const [index, transaction] of block.transactions.entries()) {
    if (!transaction.isSigned) continue;
    const sender = senders.subarray(index * SENDER_LENGTH, (index + 1) * SENDER_LENGTH);
    if (sender.some((byte) => byte !== 0)) transaction.setSender(sender);
  }
}

/** The signers of a block that are known without recovery, in the form that {@link applySenders} reads. */
export function packSenders({ transactions }: Block): Uint8Array {
  const senders = new Uint8Array(transactions.length * SENDER_LENGTH);
  for (const [index, transaction] of transactions.entries()) {
    const sender = transaction.isSigned && transaction.hasSender ? transaction.sender : undefined;
    if (sender !== undefined) senders.set(sender, index * SENDER_LENGTH);
  }
  return senders;
}
