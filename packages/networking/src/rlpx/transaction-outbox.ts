import type { RskSession } from "@cambium/rlpx";
import { MIB } from "../shared/limits.js";

/** Maximum size of the transactions in one message, in bytes; the deployed client accepts more. */
const MAX_MESSAGE_BYTES = MIB;
/** Maximum size of the waiting transactions, in bytes. */
const MAX_WAITING_BYTES = 4 * MIB;

/**
 * Transactions for one peer. A session sends a limited number of messages a minute (`spec/07 §B.2`). Transactions that
 * arrive while a message waits are packed into the next message.
 */
export class TransactionOutbox {
  private waiting: Uint8Array[] = [];
  private bytes = 0;
  private isSending = false;

  constructor(private readonly session: Pick<RskSession, "notify">) {}

  get hasRoom(): boolean {
    return this.bytes < MAX_WAITING_BYTES;
  }

  /** Adds transactions as RLP. */
  add(encoded: readonly Uint8Array[]): void {
    for (const transaction of encoded) {
      this.waiting.push(transaction);
      this.bytes += transaction.length;
    }
    this.send();
  }

  private send(): void {
    if (this.isSending || this.waiting.length === 0) return;
    this.isSending = true;
    const transactions = this.takeMessage();
    // Deferred: the session is about to send the message. A closed session never calls back.
    this.session.notify({ type: "transactions", transactions }, () => queueMicrotask(() => this.sent()));
  }

  private sent(): void {
    this.isSending = false;
    this.send();
  }

  private takeMessage(): Uint8Array[] {
    let bytes = 0;
    const end = this.waiting.findIndex(({ length }, i) => {
      bytes += length;
      return i > 0 && bytes > MAX_MESSAGE_BYTES;
    });
    const message = this.waiting.splice(0, end < 0 ? this.waiting.length : end);
    for (const { length } of message) this.bytes -= length;
    return message;
  }
}
