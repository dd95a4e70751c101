import { toHex } from "@cambium/primitives";
import type { StateReader } from "@cambium/state";
import type { Transaction } from "@cambium/types";

/** Part of a block's gas that one account may use in a second, and the seconds it may save up. */
const GAS_PER_SECOND = 0.9;
const SAVED_SECONDS = 2000;

interface Allowance {
  /** Seconds. */
  timestamp: number;
  available: number;
}

/** One transaction that asks for gas. */
export interface QuotaRequest {
  transaction: Transaction;
  sender: Uint8Array;
  /** Next nonce of the sender, its pending transactions counted. */
  expectedNonce: bigint;
  virtualGas: number;
  blockGasLimit: bigint;
  state: StateReader;
  /** Seconds. */
  now: number;
}

/**
 * Virtual gas that accounts may use up, renewed with time: slows an account that sends expensive transactions in quick
 * succession (`spec/08 §6`). Remembers a bounded number of accounts, the least recently seen leaving first.
 */
export class QuotaBook {
  /** Least recently seen first. */
  private readonly accounts = new Map<string, Allowance>();
  private perSecond = 0;

  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.accounts.size;
  }

  /** Takes the gas from the sender's allowance; whether there was enough. The first transaction of an account passes. */
  accept(request: QuotaRequest): boolean {
    const { transaction, sender, expectedNonce, virtualGas, now } = request;
    this.perSecond = Math.round(Number(request.blockGasLimit) * GAS_PER_SECOND);
    const key = toHex(sender);
    const isFirst = !this.accounts.has(key) && expectedNonce === 0n && transaction.nonce === 0n;
    const allowance = this.touch(key, expectedNonce !== 0n, now);
    this.touchReceiver(transaction.to, request);
    if (!isFirst && allowance.available < virtualGas) return false;
    allowance.available = Math.max(0, allowance.available - virtualGas);
    return true;
  }

  /** A creation has no receiver; the entry that the deployed client keeps for it is of no use (`spec/08 §11`, P9). */
  private touchReceiver(address: Uint8Array, { state, now }: QuotaRequest): void {
    if (address.length === 0) return;
    const key = toHex(address);
    if (this.accounts.has(key) || !state.isContract(address) || !state.exists(address)) this.touch(key, false, now);
  }

  private touch(key: string, startsFull: boolean, now: number): Allowance {
    let allowance = this.accounts.get(key);
    if (allowance === undefined) {
      if (this.accounts.size >= this.capacity) this.accounts.delete(this.accounts.keys().next().value as string);
      allowance = { timestamp: now, available: startsFull ? this.maximum : this.perSecond };
    } else {
      this.accounts.delete(key);
      this.refresh(allowance, now);
    }
    this.accounts.set(key, allowance);
    return allowance;
  }

  private get maximum(): number {
    return this.perSecond * SAVED_SECONDS;
  }

  private refresh(allowance: Allowance, now: number): void {
    const earned = (now - allowance.timestamp) * this.perSecond;
    allowance.available = Math.min(this.maximum, allowance.available + earned);
    allowance.timestamp = now;
  }

  /** Forgets the accounts that have saved up all they can: a new entry would be no different. */
  clean(now: number): void {
    if (this.perSecond === 0) return;
    for (const [key, allowance] of this.accounts) {
      this.refresh(allowance, now);
      if (allowance.available >= this.maximum) this.accounts.delete(key);
    }
  }
}
