import { parentPort } from "node:worker_threads";
import { decodeRlpList } from "@cambium/primitives";
import { Transaction } from "@cambium/types";
import { type RecoveryAnswer, type RecoveryRequest, SENDER_LENGTH } from "./sender-messages.js";

/**
 * Signers of the transactions of an encoded block. What cannot be told here (an undecodable block, no signer) is left
 * zero, for the import to find out by itself.
 */
function recoverBlock(encoded: Uint8Array): Uint8Array {
  try {
    const items = decodeRlpList(encoded)[1]?.items ?? [];
    const senders = new Uint8Array(items.length * SENDER_LENGTH);
    for (const [index, item] of items.entries()) {
      const sender = Transaction.decode(item, index === items.length - 1).sender;
      if (sender?.length === SENDER_LENGTH) senders.set(sender, index * SENDER_LENGTH);
    }
    return senders;
  } catch {
    return new Uint8Array(0);
  }
}

parentPort?.on("message", ({ id, blocks }: RecoveryRequest) => {
  const senders = blocks.map(recoverBlock);
  const answer: RecoveryAnswer = { id, senders };
  parentPort?.postMessage(answer);
});
