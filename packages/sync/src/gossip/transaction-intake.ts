import { setImmediate as nextTurn } from "node:timers/promises";
import type { PeerId, Verdict } from "@cambium/networking";
import { toHex } from "@cambium/primitives";
import { STATELESS_REFUSALS } from "@cambium/txpool";
import type { Transaction } from "@cambium/types";
import type { GossipModules } from "./modules.js";
import { readTransaction } from "./transaction-check.js";

/** Transactions in line, and how many of them from one peer; what comes beyond is ignored (`spec/07 §D.5`). */
const MAX_WAITING = 4096;
const MAX_WAITING_PER_PEER = MAX_WAITING / 4;
/** Work before others get their turn, some milliseconds': in keys recovered, and what a look at a transaction costs. */
const WORK_PER_TURN = 16;
const LOOK = 1 / 8;

interface Message {
  encoded: readonly Uint8Array[];
  from: PeerId;
  settle(verdict: Verdict): void;
}

/**
 * Judges transactions from peers and hands the good ones to the pool (`spec/07 §D.8`). One that every node must refuse
 * makes its whole message bad: nothing of it is taken, so that nobody can place others' transactions here without them
 * being handed on.
 */
export class TransactionIntake {
  private readonly line: Message[] = [];
  private readonly waiting = new Map<PeerId, number>();
  private total = 0;
  private done = 0;
  private isBusy = false;

  constructor(private readonly modules: Pick<GossipModules, "chain" | "pool" | "network" | "logger">) {}

  /** Transactions in line. */
  get size(): number {
    return this.total;
  }

  take(encoded: readonly Uint8Array[], from: PeerId): Promise<Verdict> {
    const ofPeer = (this.waiting.get(from) ?? 0) + encoded.length;
    if (ofPeer > MAX_WAITING_PER_PEER || this.total + encoded.length > MAX_WAITING) return Promise.resolve("ignore");
    this.waiting.set(from, ofPeer);
    this.total += encoded.length;
    const judged = new Promise<Verdict>((settle) => this.line.push({ encoded, from, settle }));
    void this.work();
    return judged;
  }

  private async work(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    // Whatever came in this turn of the loop is settled in later ones.
    await nextTurn();
    for (let message = this.line.shift(); message !== undefined; message = this.line.shift()) {
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
      this.modules.logger.warn({ err: error, peer: message.from }, "Transactions from a peer could not be judged");
      return "ignore";
    }
  }

  private async judge({ encoded, from }: Message): Promise<Verdict> {
    const { chain, pool } = this.modules;
    const news = new Map<string, Transaction>();
    for (const bytes of encoded) {
      await this.spend(LOOK);
      const checked = readTransaction(bytes, chain.network.chainId);
      if ("fault" in checked) return this.refuse(from, checked.fault);
      const { transaction } = checked;
      const id = toHex(transaction.hash);
      // What is in the pool has a good signature.
      if (news.has(id) || pool.get(transaction.hash) !== undefined) continue;
      if (!(await this.hasSender(transaction))) return this.refuse(from, "no key belongs to the signature");
      news.set(id, transaction);
    }
    return news.size === 0 ? "ignore" : this.admit([...news.values()], from);
  }

  private async hasSender(transaction: Transaction): Promise<boolean> {
    const known = this.modules.pool.knownSender(transaction.hash);
    if (known === undefined) await this.spend(1);
    else transaction.setSender(known);
    return transaction.sender !== undefined;
  }

  /** Lets others have their turn now and then. */
  private async spend(work: number): Promise<void> {
    this.done += work;
    if (this.done < WORK_PER_TURN) return;
    this.done = 0;
    await nextTurn();
  }

  private admit(transactions: readonly Transaction[], from: PeerId): Verdict {
    const { pool, network } = this.modules;
    let admitted = 0;
    for (const result of pool.addAll(transactions, { local: false })) {
      if (result.kind !== "refused") admitted++;
      else if (STATELESS_REFUSALS.has(result.code)) return this.refuse(from, result.message);
    }
    for (let i = 0; i < admitted; i++) network.report(from, "VALID_TRANSACTION");
    return admitted > 0 ? "accept" : "ignore";
  }

  /** The network counts these, and ends the connection at too many (`spec/07 §D.9`). */
  private refuse(from: PeerId, reason: string): Verdict {
    this.modules.network.report(from, "INVALID_TRANSACTION", reason);
    return "reject";
  }
}
