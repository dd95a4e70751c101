import { toHex } from "@cambium/primitives";
import { type Entry, PooledAccount } from "./entry.js";
import { Heap } from "./heap.js";
import { ADDED, REMOVED } from "./measurements.js";
import { QueueBuckets } from "./queue-buckets.js";

/**
 * The last pending transaction of an account. Holds no reference to the transaction, which may be removed long before
 * this object.
 */
interface Tail {
  account: PooledAccount;
  gasPrice: bigint;
  arrival: number;
}

/** Number of outdated candidates that the heap may hold in addition to one for each account. */
const HEAP_SLACK = 1024;

/** Kind of change of an entry: `last` means that it became the youngest. */
export type EntryChange = "added" | "last" | "queued" | "removed";

/** The transactions of both sets with their indexes and totals. Applies no policy. */
export class PoolContents {
  /** Called after every change of an entry. */
  onChange: ((entry: Entry, change: EntryChange) => void) | undefined;
  /** Entries by id, oldest first. */
  private readonly byId = new Map<string, Entry>();
  private readonly byAccount = new Map<string, PooledAccount>();
  private readonly buckets = new QueueBuckets();
  /**
   * Candidates, the cheapest first, and the latest among equal ones. May contain transactions that are removed or no
   * longer last.
   */
  private readonly tails = new Heap<Tail>((a, b) =>
    a.gasPrice === b.gasPrice ? b.arrival - a.arrival : a.gasPrice < b.gasPrice ? -1 : 1,
  );
  /** Incremented with every change. */
  version = 0;
  pendingCount = 0;
  queuedCount = 0;
  bytes = 0;
  queuedBytes = 0;

  get count(): number {
    return this.byId.size;
  }

  get(id: string): Entry | undefined {
    return this.byId.get(id);
  }

  /** Returns entries, oldest first; may be modified during iteration. */
  entries(): IterableIterator<Entry> {
    return this.byId.values();
  }

  accounts(): IterableIterator<PooledAccount> {
    return this.byAccount.values();
  }

  account(sender: Uint8Array): PooledAccount | undefined {
    return this.byAccount.get(toHex(sender));
  }

  /** Returns the sender's account, which is stored once it has a transaction. */
  accountFor(sender: Uint8Array): PooledAccount {
    const key = toHex(sender);
    return this.byAccount.get(key) ?? new PooledAccount(key, sender);
  }

  /** Adds an entry, whose nonce must be free. A pending one must precede all queued ones of its account. */
  insert(entry: Entry): void {
    const { account } = entry;
    const { entries, queuedCount, lastPending } = account;
    ADDED.add();
    this.byAccount.set(account.key, account);
    this.byId.set(entry.id, entry);
    let index = entries.length;
    while (index > 0 && entries[index - 1]!.nonce > entry.nonce) index--;
    entries.splice(index, 0, entry);
    this.bytes += entry.size;
    if (entry.isPending) account.pendingCount++;
    this.tally(entry, 1);
    this.changed(account, queuedCount, lastPending);
    this.onChange?.(entry, "added");
  }

  remove(entry: Entry): void {
    const { account } = entry;
    const { queuedCount, lastPending } = account;
    REMOVED.add();
    this.byId.delete(entry.id);
    account.entries.splice(account.entries.indexOf(entry), 1);
    this.bytes -= entry.size;
    if (entry.isPending) account.pendingCount--;
    this.tally(entry, -1);
    if (account.entries.length === 0) this.byAccount.delete(account.key);
    this.changed(account, queuedCount, lastPending);
    this.onChange?.(entry, "removed");
  }

  /** Makes the account's first queued transaction pending, with a new age. */
  promote(account: PooledAccount, since: Entry["since"]): Entry {
    const entry = account.firstQueued!;
    this.move(account, entry, true);
    this.renew(entry, since);
    return entry;
  }

  /** Gives an entry a new age, which makes it the youngest. */
  renew(entry: Entry, since: Entry["since"]): void {
    this.byId.delete(entry.id);
    this.byId.set(entry.id, entry);
    entry.since = since;
    this.onChange?.(entry, "last");
  }

  /** Makes the account's last pending transaction queued. */
  demote(account: PooledAccount): void {
    const entry = account.lastPending!;
    this.move(account, entry, false);
    this.onChange?.(entry, "queued");
  }

  private move(account: PooledAccount, entry: Entry, isPending: boolean): void {
    const { queuedCount, lastPending } = account;
    this.tally(entry, -1);
    entry.isPending = isPending;
    account.pendingCount += isPending ? 1 : -1;
    this.tally(entry, 1);
    this.changed(account, queuedCount, lastPending);
  }

  private tally(entry: Entry, sign: 1 | -1): void {
    if (entry.isPending) this.pendingCount += sign;
    else {
      this.queuedCount += sign;
      this.queuedBytes += sign * entry.size;
    }
  }

  private changed(account: PooledAccount, queuedBefore: number, lastBefore: Entry | undefined): void {
    this.version++;
    this.buckets.move(account, queuedBefore, account.queuedCount);
    const last = account.lastPending;
    if (last === undefined || last === lastBefore) return;
    if (this.tails.size > 2 * this.byAccount.size + HEAP_SLACK) this.rebuildTails();
    else this.addTail(last);
  }

  private rebuildTails(): void {
    this.tails.clear();
    for (const { lastPending } of this.byAccount.values()) if (lastPending !== undefined) this.addTail(lastPending);
  }

  private addTail({ account, gasPrice, arrival }: Entry): void {
    this.tails.push({ account, gasPrice, arrival });
  }

  /** The account with the most queued transactions. */
  heaviestQueue(): PooledAccount | undefined {
    return this.buckets.heaviest();
  }

  /**
   * Returns the cheapest last pending transactions of accounts other than `spared`, enough to free `count` entries and
   * `bytes`. Undefined if those that pay less than `gasPrice` are insufficient. Removes nothing.
   */
  cheaperThan(gasPrice: bigint, count: number, bytes: number, spared: PooledAccount): Entry[] | undefined {
    const victims = new Set<Entry>();
    const aside: Tail[] = [];
    let freed = 0;
    while (victims.size < count || freed < bytes) {
      const tail = this.tails.peek();
      if (tail === undefined) break;
      const entry = this.currentEntry(tail);
      if (entry !== undefined && entry.gasPrice >= gasPrice) break;
      this.tails.pop();
      if (entry === undefined || victims.has(entry)) continue;
      aside.push(tail);
      if (entry.account === spared) continue;
      victims.add(entry);
      freed += entry.size;
    }
    for (const tail of aside) this.tails.push(tail);
    return victims.size >= count && freed >= bytes ? [...victims] : undefined;
  }

  /** Returns the candidate's transaction, if it is still the last pending one of its account. */
  private currentEntry({ account, arrival }: Tail): Entry | undefined {
    const entry = account.lastPending;
    return entry?.arrival === arrival && this.byId.get(entry.id) === entry ? entry : undefined;
  }
}
