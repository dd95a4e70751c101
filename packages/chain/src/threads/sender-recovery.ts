import { Worker } from "node:worker_threads";
import { threadEntry } from "@cambium/primitives";
import type { Block } from "@cambium/types";
import { ChainError } from "../errors.js";
import { type RecoveryAnswer, type RecoveryRequest, SENDER_LENGTH } from "./sender-messages.js";

/** The thread holds no state; a small heap is collected often and stays small. */
const WORKER_MEMORY = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 };

interface Waiting {
  resolve: (senders: Uint8Array[]) => void;
  reject: (error: ChainError) => void;
}

/**
 * Recovers the signers of transactions in a thread of its own, ahead of the import: recovery costs more than the
 * execution of a simple transfer. The caller bounds how much is under way.
 */
export class SenderRecovery {
  private readonly worker = new Worker(threadEntry("./sender-worker.js", import.meta.url), {
    resourceLimits: WORKER_MEMORY,
  });
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  private failure: ChainError | undefined;

  constructor() {
    this.worker.on("message", (answer: RecoveryAnswer) => this.settle(answer));
    this.worker.on("error", (error) => this.fail(error.message));
    this.worker.on("exit", () => this.fail("ended"));
    this.worker.unref();
  }

  /**
   * Signers for each of the encoded blocks, to be used with {@link applySenders}. Rejects with `WORKER_FAILED`.
   */
  recover(blocks: readonly Uint8Array[]): Promise<Uint8Array[]> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    const id = ++this.lastId;
    const request: RecoveryRequest = { id, blocks: blocks.map(compact) };
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.ref();
      this.worker.postMessage(request);
    });
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private settle({ id, senders }: RecoveryAnswer): void {
    this.waiting.get(id)?.resolve(senders);
    this.waiting.delete(id);
    if (this.waiting.size === 0) this.worker.unref();
  }

  private fail(reason: string): void {
    this.failure ??= new ChainError({ code: "WORKER_FAILED", reason });
    for (const { reject } of this.waiting.values()) reject(this.failure);
    this.waiting.clear();
  }
}

/** Posting a view to a thread would copy all the memory it looks into. */
export function compact(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}

/** Gives recovered signers to the transactions of the block they were recovered from. */
export function applySenders(block: Block, senders: Uint8Array): void {
  if (senders.length !== block.transactions.length * SENDER_LENGTH) return;
  for (const [index, transaction] of block.transactions.entries()) {
    if (!transaction.isSigned) continue;
    const sender = senders.subarray(index * SENDER_LENGTH, (index + 1) * SENDER_LENGTH);
    if (sender.some((byte) => byte !== 0)) transaction.setSender(sender);
  }
}

/** The signers of a block that are known without a recovery, in the form that {@link applySenders} takes. */
export function packSenders({ transactions }: Block): Uint8Array {
  const senders = new Uint8Array(transactions.length * SENDER_LENGTH);
  for (const [index, transaction] of transactions.entries()) {
    const sender = transaction.isSigned && transaction.hasSender ? transaction.sender : undefined;
    if (sender !== undefined) senders.set(sender, index * SENDER_LENGTH);
  }
  return senders;
}
