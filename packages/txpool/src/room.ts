import type { PoolContents } from "./contents.js";
import type { Account, Entry } from "./entry.js";
import type { PoolOptions } from "./options.js";

type Caps = Pick<PoolOptions, "maxTransactions" | "maxBytes" | "maxQueued">;

/** A transaction about to enter. `replaced` leaves for it. */
export interface Newcomer {
  account: Account;
  gasPrice: bigint;
  size: number;
  replaced: Entry | undefined;
}

/**
 * Keeps the pool within its caps (`spec/08 §12`). Queued transactions go first: of the account that has the most of
 * them, and of several the one that has had them for the longest time, the highest nonce: a flood of gapped transactions
 * displaces itself and not the few of others. Then the cheapest of the accounts' last pending transactions, so that no gap opens.
 */
export class Room {
  constructor(
    private readonly contents: PoolContents,
    private readonly caps: Caps,
  ) {}

  /** Makes room for a pending transaction, or answers false and changes nothing. */
  makeForPending({ account, gasPrice, size, replaced }: Newcomer): boolean {
    const { contents, caps } = this;
    const count = Math.max(0, contents.count + (replaced === undefined ? 1 : 0) - caps.maxTransactions);
    const bytes = Math.max(0, contents.bytes + size - (replaced?.size ?? 0) - caps.maxBytes);
    const missing = Math.max(0, count - contents.queuedCount);
    const missingBytes = Math.max(0, bytes - contents.queuedBytes);
    const victims = missing + missingBytes === 0 ? [] : contents.cheaperThan(gasPrice, missing, missingBytes, account);
    if (victims === undefined) return false;
    const [countGoal, bytesGoal] = [contents.count - count, contents.bytes - bytes];
    for (const victim of victims) contents.remove(victim);
    while ((contents.count > countGoal || contents.bytes > bytesGoal) && this.dropQueued());
    return true;
  }

  /** Makes room for a queued transaction: only at the cost of accounts that have no fewer of them. */
  makeForQueued(newcomer: Newcomer): boolean {
    while (!this.hasRoomInQueue(newcomer)) {
      const heaviest = this.contents.heaviestQueue();
      if (heaviest === undefined || !gives(heaviest, newcomer)) return false;
      this.contents.remove(heaviest.entries.at(-1)!);
    }
    return true;
  }

  private hasRoomInQueue({ size, replaced }: Newcomer): boolean {
    const { contents, caps } = this;
    const count = replaced === undefined ? 1 : 0;
    return (
      contents.queuedCount + count <= caps.maxQueued &&
      contents.count + count <= caps.maxTransactions &&
      contents.bytes + size - (replaced?.size ?? 0) <= caps.maxBytes
    );
  }

  /** After pending transactions have become queued ones. */
  trimQueue(): void {
    while (this.contents.queuedCount > this.caps.maxQueued) this.dropQueued();
  }

  private dropQueued(): boolean {
    const last = this.contents.heaviestQueue()?.entries.at(-1);
    if (last !== undefined) this.contents.remove(last);
    return last !== undefined;
  }
}

/**
 * Whether an account has to give up a queued transaction: it will have no fewer than the newcomer's. Prices do not count,
 * as what is queued pays nothing and may promise anything.
 */
function gives(heaviest: Account, { account, replaced }: Newcomer): boolean {
  const next = account.queuedCount + (replaced === undefined ? 1 : 0);
  return heaviest !== account && heaviest.queuedCount >= next;
}
