import { decodeRlpList, serveThread } from "@cambium/primitives";
import { Transaction } from "@cambium/types";
import { SENDER_LENGTH } from "./senders.js";

export interface RecoveryMethods {
  /** For each of some encoded blocks the signers of its transactions in order, 20 bytes each. */
  recover(blocks: readonly Uint8Array[]): Uint8Array[];
}

/** What cannot be found here (an undecodable block, no signer) is left zero, for the import to find out by itself. */
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

await serveThread<RecoveryMethods>(() => ({ methods: { recover: (blocks) => blocks.map(recoverBlock) } }));
