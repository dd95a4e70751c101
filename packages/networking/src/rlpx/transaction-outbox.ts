import type { RskSession } from "@cambium/rlpx";
import { MIB } from "../shared/limits.js";

/** Of transactions in one message; the deployed client reads more. */
const MAX_MESSAGE_BYTES = MIB;
/** Of transactions that wait. */
const MAX_WAITING_BYTES = 4 * MIB;

/**
 * Transactions for one peer. A session lets a limited number of messages through a minute (`spec/07 §B.2`), so those
 * that arrive while a message of transactions waits for that are packed into the next one.
 */
export class TransactionOutbox {
  private waiting: Uint8Array[] = [];
  private bytes = 0;
  private isSending = false;

  constructor(private readonly session: Pick<RskSession, "notify">) {}

  get hasRoom(): boolean {
    return this.bytes < MAX_WAITING_BYTES;
  }

  /** RLP of transactions. */
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
    // Not from within the session, which is about to send the message. A closed session never calls back.
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
