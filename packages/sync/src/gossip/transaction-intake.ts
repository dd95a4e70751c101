import { setImmediate as nextTurn } from "node:timers/promises";
import type { PeerId, Verdict } from "@cambium/networking";
import { toHex } from "@cambium/primitives";
import { STATELESS_REFUSALS } from "@cambium/txpool";
import type { Transaction } from "@cambium/types";
import type { GossipParts } from "./parts.js";
import { readTransaction } from "./transaction-check.js";

/** Maximum number of queued transactions, in total and of one peer; further ones are ignored (`spec/07 §D.5`). */
const MAX_WAITING = 4096;
const MAX_WAITING_PER_PEER = MAX_WAITING / 4;
/**
 * Amount of work between two turns of the event loop, a few milliseconds, in recovered keys; and that of decoding a
 * transaction.
 */
const WORK_PER_TURN = 16;
const DECODING = 1 / 8;

interface Message {
  encoded: readonly Uint8Array[];
  from: PeerId;
  settle(verdict: Verdict): void;
}

/**
 * Validates transactions from peers and adds them to the pool (`spec/07 §D.8`). A transaction that every node must
 * refuse invalidates its whole message. No peer can therefore add transactions that are not relayed.
 */
export class TransactionIntake {
  private readonly queue: Message[] = [];
  private readonly waiting = new Map<PeerId, number>();
  private total = 0;
  private done = 0;
  private isBusy = false;

  constructor(private readonly parts: Pick<GossipParts, "chain" | "pool" | "network" | "logger">) {}

  /** Number of queued transactions. */
  get size(): number {
    return this.total;
  }

  take(encoded: readonly Uint8Array[], from: PeerId): Promise<Verdict> {
    const ofPeer = (this.waiting.get(from) ?? 0) + encoded.length;
    if (ofPeer > MAX_WAITING_PER_PEER || this.total + encoded.length > MAX_WAITING) return Promise.resolve("ignore");
    this.waiting.set(from, ofPeer);
    this.total += encoded.length;
    const judged = new Promise<Verdict>((settle) => this.queue.push({ encoded, from, settle }));
    void this.work();
    return judged;
  }

  private async work(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    // Messages of this turn of the event loop are handled in later ones.
    await nextTurn();
    for (let message = this.queue.shift(); message !== undefined; message = this.queue.shift()) {
      message.settle(await this.judgeSafely(message));
      this.leave(message);
    }
    this.isBusy = false;
  }

  private leave({ encoded, from }: Message): void {
    this.total -= encoded.length;
    const left = this.waiting.get(from)! - encoded.length;
    if (left === 0) this.waiting.delete(from);
    else this.waiting.set(from, left);
  }

  private async judgeSafely(message: Message): Promise<Verdict> {
    try {
      return await this.judge(message);
    } catch (error) {
      this.parts.logger.warn({ err: error, peer: message.from }, "Failed to validate transactions of a peer");
      return "ignore";
    }
  }

  private async judge({ encoded, from }: Message): Promise<Verdict> {
    const { chain, pool } = this.parts;
    const news = new Map<string, Transaction>();
    for (const bytes of encoded) {
      await this.spend(DECODING);
      const checked = readTransaction(bytes, chain.network);
      if ("fault" in checked) return this.refuse(from, checked.fault);
      const { transaction } = checked;
      const id = toHex(transaction.hash);
      // A pooled transaction has a valid signature.
      if (news.has(id) || pool.get(transaction.hash) !== undefined) continue;
      if (!(await this.hasSender(transaction))) return this.refuse(from, "no key matches the signature");
      news.set(id, transaction);
    }
    return news.size === 0 ? "ignore" : this.admit([...news.values()], from);
  }

  private async hasSender(transaction: Transaction): Promise<boolean> {
    const known = this.parts.pool.knownSender(transaction.hash);
    if (known === undefined) await this.spend(1);
    else transaction.setSender(known);
    return transaction.sender !== undefined;
  }

  /** Yields to the event loop at intervals. */
  private async spend(work: number): Promise<void> {
    this.done += work;
    if (this.done < WORK_PER_TURN) return;
    this.done = 0;
    await nextTurn();
  }

  private admit(transactions: readonly Transaction[], from: PeerId): Verdict {
    const { pool, network } = this.parts;
    let admitted = 0;
    for (const result of pool.addAll(transactions, { local: false })) {
      if (result.kind !== "refused") admitted++;
      else if (STATELESS_REFUSALS.has(result.code)) return this.refuse(from, result.message);
    }
    for (let i = 0; i < admitted; i++) network.report(from, "VALID_TRANSACTION");
    return admitted > 0 ? "accept" : "ignore";
  }

  /** Refuses a message. The network counts refusals and disconnects the peer above a limit (`spec/07 §D.9`). */
  private refuse(from: PeerId, reason: string): Verdict {
    this.parts.network.report(from, "INVALID_TRANSACTION", reason);
    return "reject";
  }
}
