import { toHex } from "@cambium/primitives";
import type { StateReader } from "@cambium/state";
import type { Transaction } from "@cambium/types";

/** Share of a block's gas that an account may use per second, and the seconds for which it accumulates. */
const GAS_PER_SECOND = 0.9;
const SAVED_SECONDS = 2000;

interface Allowance {
  /** Time of the last change in seconds. */
  timestamp: number;
  available: number;
}

/** A transaction that requests gas. */
export interface QuotaRequest {
  transaction: Transaction;
  sender: Uint8Array;
  /** Next nonce of the sender after its pending transactions. */
  expectedNonce: bigint;
  virtualGas: number;
  blockGasLimit: bigint;
  state: StateReader;
  /** Current time in seconds. */
  now: number;
}

/**
 * Allowances of virtual gas, replenished over time: they slow an account that sends expensive transactions in quick
 * succession (`spec/08 §6`). The number of stored accounts is bounded; the least recently used is evicted first.
 */
export class QuotaBook {
  /** Allowances by account, least recently used first. */
  private readonly accounts = new Map<string, Allowance>();
  private perSecond = 0;

  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.accounts.size;
  }

  /** Charges the sender's allowance; false if it is too low. The first transaction of an account always passes. */
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

  /**
   * Touches the receiver. A creation has none; the deployed client's entry for the empty address is never read
   * (`spec/08 §11`, P9).
   */
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

  /** Removes the accounts with a full allowance, which equals that of a new entry. */
  clean(now: number): void {
    if (this.perSecond === 0) return;
    for (const [key, allowance] of this.accounts) {
      this.refresh(allowance, now);
      if (allowance.available >= this.maximum) this.accounts.delete(key);
    }
  }
}
