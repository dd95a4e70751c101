import { toHex } from "@cambium/primitives";
import type { Transaction } from "@cambium/types";
import type { Ageing } from "./ageing.js";
import type { BestState } from "./best-state.js";
import type { PoolContents } from "./contents.js";
import { Entry, inOwnMemory, type PooledAccount } from "./entry.js";
import type { GasPriceTracker } from "./gas-price/tracker.js";
import type { Refusal } from "./interface.js";
import type { PoolOptions } from "./options.js";
import type { QuotaBook } from "./quota.js";
import { refusal, wrongSignature } from "./refusals.js";
import type { Newcomer, Room } from "./room.js";
import type { SenderCache } from "./senders.js";
import type { SlowSenders } from "./slow-senders.js";
import { highestCost, isBump, validate } from "./validation.js";
import { virtualGas } from "./virtual-gas.js";

/** Origin of a transaction, as far as admission depends on it. */
export interface Origin {
  isLocal: boolean;
  /** Whether it was accepted before, by this node or the chain: neither the nonce window nor the quota then applies. */
  isKnown: boolean;
}

export type Admitted = { kind: "pending" | "queued"; entry: Entry } | ({ kind: "refused" } & Refusal);

export interface AdmissionParts {
  contents: PoolContents;
  room: Room;
  quota: QuotaBook;
  tracker: GasPriceTracker;
  senders: SenderCache;
  slowSenders: SlowSenders;
  options: PoolOptions;
  ageing: Ageing;
  /** Returns the current time in seconds. */
  now: () => number;
}

/** Decides which transactions are admitted to the pool, and to which set (`spec/08 §4`). */
export class Admission {
  private arrivals = 0;

  constructor(
    private readonly parts: AdmissionParts,
    /** The best block, on which transactions are validated. */
    public best: BestState,
  ) {}

  /** Admits one transaction, without its successors. */
  admit(transaction: Transaction, origin: Origin): Admitted {
    const { contents, options, senders, slowSenders } = this.parts;
    const id = toHex(transaction.hash);
    const present = contents.get(id);
    if (present !== undefined) return refused(refusal(present.isPending ? "ALREADY_PENDING" : "ALREADY_QUEUED"));
    const isAcceptable = transaction.acceptSignature(this.best.network.chainId);
    const sender = isAcceptable ? senders.of(transaction) : undefined;
    if (sender === undefined) return refused(wrongSignature(transaction));
    const accountSlots = origin.isKnown ? undefined : options.accountSlots;
    const fault = validate({ transaction, sender, best: this.best, accountSlots });
    if (fault !== undefined) return refused(fault);
    const account = contents.accountFor(sender);
    if (slowSenders.isRefused(account.key)) return refused(refusal("SLOW_SENDER"));
    return this.place(transaction, account, id, origin);
  }

  /** Admits a valid transaction: checks replacement, quota, funds and room. */
  private place(transaction: Transaction, account: PooledAccount, id: string, origin: Origin): Admitted {
    const replaced = account.at(transaction.nonce);
    const { gasPriceBump } = this.parts.options;
    if (replaced?.isPending && !isBump(transaction.gasPrice, replaced.gasPrice, gasPriceBump)) {
      return refused(refusal("GAS_PRICE_BUMP"));
    }
    const cost = highestCost(transaction, this.best);
    const entry = new Entry(transaction, id, account, cost, origin.isLocal, this.arrivals++, this.since());
    entry.isPending = transaction.nonce <= this.expectedNonce(account);
    entry.isPaid = origin.isKnown;
    const fault = entry.isPending ? this.validatePending(entry, replaced) : undefined;
    if (fault !== undefined) return refused(fault);
    return this.enter(entry, replaced);
  }

  private enter(entry: Entry, replaced: Entry | undefined): Admitted {
    const { contents, room } = this.parts;
    const { account, gasPrice, size, isPending } = entry;
    const newcomer: Newcomer = { account, gasPrice, size, replaced };
    if (!(isPending ? room.makeForPending(newcomer) : room.makeForQueued(newcomer))) {
      return refused(refusal("POOL_FULL"));
    }
    // Making room may already have evicted the queued transaction to replace.
    if (replaced !== undefined && contents.get(replaced.id) === replaced) contents.remove(replaced);
    entry.transaction = inOwnMemory(entry.transaction);
    contents.insert(entry);
    return { kind: isPending ? "pending" : "queued", entry };
  }

  /** Performs steps 7 and 8, which apply only to transactions that become pending. */
  private validatePending(entry: Entry, replaced: Entry | undefined): Refusal | undefined {
    if (this.parts.options.rateLimit && !entry.isPaid) {
      if (!this.takeQuota(entry, replaced)) return refusal("QUOTA");
      entry.isPaid = true;
    }
    const { account } = entry;
    let cost = entry.cost;
    for (let i = 0; i < account.pendingCount; i++) {
      if (account.entries[i] !== replaced) cost += account.entries[i]!.cost;
    }
    return cost > this.best.state.getBalance(account.sender) ? refusal("PENDING_FUNDS") : undefined;
  }

  private takeQuota({ transaction, nonce, gasPrice, size, account }: Entry, replaced: Entry | undefined): boolean {
    const { tracker, quota, now } = this.parts;
    const { best } = this;
    const expectedNonce = this.expectedNonce(account);
    const gas = virtualGas({
      nonce,
      gasLimit: transaction.gasLimit,
      gasPrice,
      size,
      expectedNonce,
      replacedGasPrice: replaced?.gasPrice,
      blockGasLimit: best.gasLimit,
      blockMinimumGasPrice: best.minimumGasPrice,
      averageGasPrice: tracker.isFeeMarketWorking ? tracker.marketPrice() : undefined,
    });
    const { gasLimit: blockGasLimit, state } = best;
    const { sender } = account;
    return quota.accept({ transaction, sender, expectedNonce, virtualGas: gas, blockGasLimit, state, now: now() });
  }

  /** Returns the next nonce of the account after its pending transactions. */
  expectedNonce({ sender, lastPending }: PooledAccount): bigint {
    const nonce = this.best.state.getNonce(sender);
    return lastPending !== undefined && lastPending.nonce >= nonce ? lastPending.nonce + 1n : nonce;
  }

  private since(): Entry["since"] {
    return this.parts.ageing.start(this.best.number);
  }

  /**
   * Promotes the queued transactions that continue the nonces, after validating them again; one that fails is removed
   * and ends the promotion (`spec/08 §4`, `promoteSuccessors`).
   */
  promote(account: PooledAccount): Entry[] {
    const { contents } = this.parts;
    const promoted: Entry[] = [];
    for (;;) {
      const entry = account.firstQueued;
      if (entry === undefined || entry.nonce !== this.expectedNonce(account)) return promoted;
      const { transaction } = entry;
      const candidate = { transaction, sender: account.sender, best: this.best, accountSlots: undefined };
      if ((validate(candidate) ?? this.validatePending(entry, undefined)) !== undefined) {
        contents.remove(entry);
        return promoted;
      }
      promoted.push(contents.promote(account, this.since()));
    }
  }

  /** Removes the account's transactions whose nonce has been used, and queues the pending ones behind a gap. */
  realign(account: PooledAccount): void {
    const { contents } = this.parts;
    let next = this.best.state.getNonce(account.sender);
    for (const entry of account.entries.filter(({ nonce }) => nonce < next)) contents.remove(entry);
    let gapless = 0;
    while (gapless < account.pendingCount && account.entries[gapless]!.nonce === next) {
      gapless++;
      next++;
    }
    while (account.pendingCount > gapless) contents.demote(account);
  }
}

function refused(fault: Refusal): Admitted {
  return { kind: "refused", ...fault };
}
