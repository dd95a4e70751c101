import type { ChainEvent, ChainListener, ChainReader } from "@cambium/chain";
import type { Evm } from "@cambium/evm";
import { append, toHex } from "@cambium/primitives";
import type { StateReader } from "@cambium/state";
import { recogniseImpersonated, type Transaction } from "@cambium/types";
import { Admission, type Admitted, type Origin } from "./admission.js";
import { Ageing } from "./ageing.js";
import { BestBlockFollower } from "./best-block-follower.js";
import { bestStateOf } from "./best-state.js";
import { PoolContents } from "./contents.js";
import type { Entry, PooledAccount } from "./entry.js";
import { GasPriceTracker } from "./gas-price/tracker.js";
import type {
  AddOptions,
  AddResult,
  EvictionReason,
  PendingCause,
  PoolChange,
  PoolCounts,
  PoolEvent,
  PooledTransaction,
  PoolListener,
  TransactionPoolApi,
} from "./interface.js";
import type { TransactionJournal } from "./journal.js";
import { REFUSED, SLOW } from "./measurements.js";
import { DEFAULT_POOL_OPTIONS, type PoolOptions } from "./options.js";
import { orderForBlock } from "./order.js";
import { PendingState } from "./pending-state.js";
import { QuotaBook } from "./quota.js";
import { Room } from "./room.js";
import { SenderCache } from "./senders.js";
import { SlowSenders } from "./slow-senders.js";

/** Functions of the chain that the pool uses. */
export type PoolChain = ChainReader & { on(listener: ChainListener): () => void };

export interface PoolParts {
  chain: PoolChain;
  /** Interpreter for the pending state; must not be shared with another thread. */
  evm: Evm;
  /** Returns the current time in seconds. */
  now: () => number;
  /** Whether the node is downloading blocks that its peers have; by default never. */
  isCatchingUp?: () => boolean;
  /** File of local transactions, which survive a restart. */
  journal?: TransactionJournal;
  /** Called with errors of listeners and of the journal, which do not stop the pool. */
  onError?: (error: unknown) => void;
}

const REMOTE: Origin = { isLocal: false, isKnown: false };
const LOCAL: Origin = { isLocal: true, isKnown: false };
const RESTORED: Origin = { isLocal: true, isKnown: true };

/** A value computed from the pool, valid until the pool changes. */
interface Computed<T> {
  version: number;
  value: T;
}

/** Pending and queued transactions over a chain (`spec/08`). Opened by {@link openTransactionPool}. */
export class TransactionPool implements TransactionPoolApi {
  private readonly options: PoolOptions;
  private readonly contents = new PoolContents();
  private readonly quota: QuotaBook;
  private readonly tracker: GasPriceTracker;
  private readonly senders: SenderCache;
  private readonly slowSenders: SlowSenders;
  private readonly room: Room;
  private readonly ageing: Ageing;
  private readonly admission: Admission;
  private readonly follower: BestBlockFollower;
  private readonly listeners = new Set<PoolListener>();
  private readonly stopFollowing: () => void;
  private lastClean: number;
  private order: Computed<readonly Transaction[]> | undefined;
  private executed: Computed<StateReader> | undefined;

  constructor(
    private readonly modules: PoolParts,
    options: Partial<PoolOptions> = {},
  ) {
    const { chain, now, isCatchingUp = () => false } = modules;
    this.options = { ...DEFAULT_POOL_OPTIONS, ...options };
    this.quota = new QuotaBook(this.options.maxQuotaAccounts);
    this.senders = new SenderCache(this.options.senderCacheSize);
    this.slowSenders = new SlowSenders(this.options.senderCacheSize, now);
    this.tracker = new GasPriceTracker(this.options, chain, chain.network.fork?.number);
    this.tracker.start();
    this.room = new Room(this.contents, this.options);
    this.ageing = new Ageing({ options: this.options, now, isCatchingUp });
    const { contents, room, quota, tracker, senders, slowSenders, ageing } = this;
    const parts = { contents, room, quota, tracker, senders, slowSenders, options: this.options, ageing, now };
    this.admission = new Admission(parts, bestStateOf(chain, chain.best().header));
    this.follower = new BestBlockFollower({ chain, contents, admission: this.admission, room, senders, slowSenders });
    this.lastClean = now();
    this.stopFollowing = chain.on((event) => this.follow(event));
  }

  /** Stops following the chain and closes the journal. */
  close(): void {
    this.stopFollowing();
    this.listeners.clear();
    this.modules.journal?.close();
  }

  add(transaction: Transaction, options: AddOptions): AddResult {
    return this.addAll([transaction], options)[0]!;
  }

  addAll(transactions: readonly Transaction[], { local }: AddOptions): AddResult[] {
    return this.take(transactions, local ? LOCAL : REMOTE, local ? "local" : "remote");
  }

  private take(transactions: readonly Transaction[], origin: Origin, cause: PendingCause): AddResult[] {
    this.expire();
    const all: Transaction[] = [];
    const results = transactions.map((transaction): AddResult => {
      const admitted = this.admission.admit(transaction, origin);
      if (admitted.kind === "refused") {
        REFUSED.add();
        return admitted;
      }
      if (cause === "local") this.keep(admitted);
      if (admitted.kind === "queued") return { kind: "queued" };
      const successors = this.admission.promote(admitted.entry.account);
      const added = [admitted.entry, ...successors].map((entry) => entry.transaction);
      append(all, added);
      return { kind: "pending", added };
    });
    this.emitPending(all, cause);
    return results;
  }

  /** Admits the transactions of the journal, and rewrites it with those still in the pool. */
  restore(): void {
    const { journal } = this.modules;
    if (journal === undefined) return;
    const restored = recogniseImpersonated(journal.load(), this.modules.chain.network);
    this.take(restored, RESTORED, "restart");
    journal.rewrite(this.localTransactions());
  }

  private keep({ entry }: Exclude<Admitted, { kind: "refused" }>): void {
    this.note((journal) => journal.append(entry.transaction, () => this.localTransactions()));
  }

  private note(write: (journal: TransactionJournal) => void): void {
    const { journal, onError } = this.modules;
    if (journal === undefined) return;
    try {
      write(journal);
    } catch (error) {
      onError?.(error);
    }
  }

  /** Returns local transactions in an order in which they can be added again. */
  private localTransactions(): Transaction[] {
    const local = [...this.contents.entries()].filter(({ isLocal }) => isLocal);
    return local.map(({ transaction }) => transaction);
  }

  evict(hashes: readonly Uint8Array[], reason: EvictionReason): void {
    const ids = [...new Set(hashes.map(toHex))];
    const entries = ids.map((id) => this.contents.get(id)).filter((entry) => entry !== undefined);
    if (entries.length === 0) return;
    this.removeAll(entries);
    if (reason === "slow") {
      SLOW.add(entries.length);
      for (const { account } of entries) this.slowSenders.add(account.key);
    }
    const local = entries.filter(({ isLocal }) => isLocal).map(({ transaction }) => transaction.hash);
    if (local.length > 0) this.note((journal) => journal.drop(local, () => this.localTransactions()));
    this.emit({ kind: "evicted", transactions: entries.map(({ transaction }) => transaction), reason });
  }

  clear(): void {
    this.slowSenders.clear();
    for (const entry of this.contents.entries()) this.contents.remove(entry);
    this.note((journal) => journal.clear());
  }

  /** Removes transactions, and queues their pending successors. */
  private removeAll(entries: readonly Entry[]): void {
    const accounts = new Set<PooledAccount>();
    for (const entry of entries) {
      this.contents.remove(entry);
      accounts.add(entry.account);
    }
    for (const account of accounts) this.admission.realign(account);
    this.room.trimQueue();
  }

  /** Removes expired transactions (`spec/08 §7`). The contents are ordered by age. */
  private expire(): void {
    const { ageing, contents } = this;
    const { number } = this.admission.best;
    if (ageing.hasResumed()) this.renew([...contents.entries()].filter(({ isLocal }) => isLocal));
    const old: Entry[] = [];
    for (const entry of contents.entries()) {
      if (!ageing.isOld(entry, number)) break;
      old.push(entry);
    }
    if (old.length === 0) return;
    const local = old.filter(({ isLocal }) => isLocal);
    if (ageing.isSuspended) {
      this.renew(local);
      this.removeAll(old.filter(({ isLocal }) => !isLocal));
      return;
    }
    this.removeAll(old);
    if (local.length > 0) this.emit({ kind: "expired", transactions: local.map(({ transaction }) => transaction) });
  }

  /** Starts the age of transactions again. */
  private renew(entries: readonly Entry[]): void {
    const since = this.ageing.start(this.admission.best.number);
    for (const entry of entries) this.contents.renew(entry, since);
  }

  /** Cleans up; call it about once a minute. */
  maintain(): void {
    this.expire();
    const { quotaCleanSeconds } = this.options;
    const now = this.modules.now();
    if (quotaCleanSeconds <= 0 || now < this.lastClean + quotaCleanSeconds) return;
    this.lastClean = now;
    this.quota.clean(now);
  }

  private follow(event: ChainEvent): void {
    this.tracker.addBlock(event.header);
    if (event.kind === "sideBlock") return;
    this.tracker.setBest(event.header);
    this.expire();
    this.ageing.advance(event.header.number - this.admission.best.number);
    const { returned, promoted } = this.follower.moveTo(event);
    this.maintain();
    this.emitPending(returned, "reorganisation");
    this.emitPending(promoted, "block");
    this.emit({ kind: "changed" });
  }

  /** Emits the transactions that are still pending: later ones of a batch may have evicted earlier ones. */
  private emitPending(transactions: readonly Transaction[], cause: PendingCause): void {
    const pending = transactions.filter(({ hash }) => this.contents.get(toHex(hash))?.isPending);
    if (pending.length > 0) this.emit({ kind: "newPending", transactions: pending, cause });
  }

  pending(): readonly PooledTransaction[] {
    this.expire();
    return [...this.contents.entries()].filter(({ isPending }) => isPending);
  }

  queued(): readonly PooledTransaction[] {
    this.expire();
    return [...this.contents.entries()].filter(({ isPending }) => !isPending);
  }

  get(hash: Uint8Array): PooledTransaction | undefined {
    this.expire();
    return this.contents.get(toHex(hash));
  }

  counts(): PoolCounts {
    this.expire();
    const { pendingCount: pending, queuedCount: queued, bytes } = this.contents;
    return { pending, queued, bytes };
  }

  pendingNonce(address: Uint8Array): bigint {
    this.expire();
    return this.admission.expectedNonce(this.contents.accountFor(address));
  }

  ordered(): readonly Transaction[] {
    this.expire();
    const { contents } = this;
    if (this.order?.version !== contents.version) {
      const groups = [...contents.accounts()].map(({ entries, pendingCount }) => entries.slice(0, pendingCount));
      this.order = { version: contents.version, value: orderForBlock(groups).map(({ transaction }) => transaction) };
    }
    return this.order.value;
  }

  /** Returns the pending state. Throws `TxPoolError` `STATE_NOT_EXECUTABLE`. */
  pendingState(): StateReader {
    const transactions = this.ordered();
    const { chain, evm } = this.modules;
    const { best } = this.admission;
    const { version } = this.contents;
    if (this.executed?.version !== version) {
      const maxBlocks = this.options.pendingStateBlocks;
      this.executed = { version, value: new PendingState({ chain, evm, best, maxBlocks }).after(transactions) };
    }
    return this.executed.value;
  }

  gasPrice(): bigint {
    return BigInt.asUintN(64, this.tracker.price(this.admission.best.minimumGasPrice));
  }

  knownSender(hash: Uint8Array): Uint8Array | undefined {
    return this.contents.get(toHex(hash))?.sender ?? this.senders.known(hash);
  }

  on(listener: PoolListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Transactions of both sets, oldest first. */
  all(): readonly PooledTransaction[] {
    this.expire();
    return [...this.contents.entries()];
  }

  /**
   * Follows every change, in order, from now on; at most one listener, which must not throw. Returns the function to
   * end it.
   */
  watch(listener: (change: PoolChange) => void): () => void {
    this.contents.onChange = (pooled, kind) => listener({ kind, pooled });
    return () => {
      this.contents.onChange = undefined;
    };
  }

  private emit(event: PoolEvent): void {
    for (const listener of this.listeners) {
      try {
        listener(event);
      } catch (error) {
        this.modules.onError?.(error);
      }
    }
  }
}

/** Opens a pool that follows a chain, with the transactions of its journal. Throws `TxPoolError`. */
export function openTransactionPool(modules: PoolParts, options: Partial<PoolOptions> = {}): TransactionPool {
  const pool = new TransactionPool(modules, options);
  pool.restore();
  return pool;
}
