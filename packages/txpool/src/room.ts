import type { PoolContents } from "./contents.js";
import type { Entry, PooledAccount } from "./entry.js";
import type { PoolOptions } from "./options.js";

type Caps = Pick<PoolOptions, "maxTransactions" | "maxBytes" | "maxQueued">;

/** A transaction to be admitted, replacing `replaced` if present. */
export interface Newcomer {
  account: PooledAccount;
  gasPrice: bigint;
  size: number;
  replaced: Entry | undefined;
}

/**
 * Keeps the pool within its caps (`spec/08 §12`). Queued transactions are evicted first: the highest nonce of the
 * account with the most of them; on a tie, of the account that reached that number first. An account that floods the
 * queue thus evicts its own transactions. Next is the cheapest of the accounts' last pending transactions, so that no
 * gap opens.
 */
export class Room {
  constructor(
    private readonly contents: PoolContents,
    private readonly caps: Caps,
  ) {}

  /** Makes room for a pending transaction, or returns false and changes nothing. */
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

  /** Makes room for a queued transaction, but only from accounts with at least as many queued transactions. */
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

  /** Enforces the caps after pending transactions have become queued. */
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
 * Whether an account must give up a queued transaction: only if it keeps at least as many as the newcomer's account.
 * Prices do not count, because a queued transaction pays nothing and may offer any price.
 */
function gives(heaviest: PooledAccount, { account, replaced }: Newcomer): boolean {
  const next = account.queuedCount + (replaced === undefined ? 1 : 0);
  return heaviest !== account && heaviest.queuedCount >= next;
}
