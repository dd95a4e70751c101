import type { Client } from "@cambium/api";

/** Number of clients and networks whose use is remembered. */
const CAPACITY = 10_000;
/** Milliseconds of use with which a new client starts, so that new connections gain nothing. */
const ENTRY_FEE = 100;
/**
 * Milliseconds by which short jobs can put a client behind others: less than a new client's, so that it precedes new
 * ones.
 */
const MAX_DEBT_OF_SHORT = 50;
/** Number of clients whose use a network may have. */
const CLIENTS_OF_NETWORK = 8;

/**
 * Thread time used by clients, compared with virtual time. Virtual time is what each client would have used if all
 * competing clients had shared equally. Use is forgotten as virtual time passes; an idle client gains no credit.
 */
export class FairShares {
  /** Virtual time in milliseconds up to which clients and networks have used their shares; the latest charged last. */
  private readonly used = new Map<string, number>();
  private clock = 0;

  /** Returns the present virtual time. */
  get now(): number {
    return this.clock;
  }

  /**
   * Returns the virtual time at which a client's job that was queued at `since` starts: when the client's share is not
   * used up.
   */
  nextOf({ share, network }: Client, since = this.clock): number {
    const own = this.used.get(share) ?? since + ENTRY_FEE;
    const all = network === undefined ? 0 : (this.used.get(networkKey(network)) ?? 0);
    return Math.max(since, own, all);
  }

  /** Charges thread time in milliseconds; `isShort` if the job ended in its first attempt. */
  charge({ share, network }: Client, time: number, isShort: boolean): void {
    const latest = isShort ? this.clock + MAX_DEBT_OF_SHORT : Number.POSITIVE_INFINITY;
    this.add(share, this.used.get(share) ?? this.clock + ENTRY_FEE, time, latest);
    if (network === undefined) return;
    const key = networkKey(network);
    this.add(key, this.used.get(key) ?? 0, time / CLIENTS_OF_NETWORK, latest);
  }

  /** Advances virtual time by milliseconds. */
  pass(time: number): void {
    this.clock += time;
  }

  private add(key: string, used: number, time: number, latest: number): void {
    this.used.delete(key);
    this.used.set(key, Math.max(used, Math.min(Math.max(used, this.clock) + time, latest)));
    if (this.used.size > CAPACITY) this.used.delete(this.used.keys().next().value as string);
  }
}

function networkKey(network: string): string {
  return `network ${network}`;
}
