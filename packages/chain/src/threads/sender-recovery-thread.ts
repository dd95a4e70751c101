import { decodeRlpList, serveThread } from "@cambium/primitives";
import { Transaction } from "@cambium/types";
import { SENDER_LENGTH } from "./senders.js";

export interface RecoveryMethods {
  /** Recovers the signers of each block's transactions in order, 20 bytes each. */
  recover(blocks: readonly Uint8Array[]): Uint8Array[];
}

/** Signers that cannot be recovered (a malformed block, no signer) are left zero; the import handles them itself. */
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
