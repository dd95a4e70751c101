import { type ChainEventSource, internalError, type NewsSources, type SyncStatus } from "@cambium/api";
import { announcedEvent, type ChainEvent, type ChainReader, type PlainChainEvent } from "@cambium/chain";
import type { Work } from "@cambium/miner";
import { applySenders, Transaction } from "@cambium/types";
import type { PlainTransactions } from "./messages.js";

/** Listeners to announcements of the main thread. */
class Listeners<T> {
  private readonly listeners = new Set<(news: T) => void>();

  readonly on = (listener: (news: T) => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  emit(news: T): void {
    for (const listener of this.listeners) listener(news);
  }
}

/**
 * Events that the main thread announces to a reader thread. Blocks are read from the database when a listener accesses
 * them.
 */
export class AnnouncedEvents implements NewsSources {
  readonly events: ChainEventSource;
  readonly pendingTransactions: Required<NewsSources>["pendingTransactions"];
  readonly sync: Required<NewsSources>["sync"];
  readonly work: NewsSources["work"];
  private readonly chainListeners = new Listeners<ChainEvent>();
  private readonly pendingListeners = new Listeners<readonly Transaction[]>();
  private readonly syncListeners = new Listeners<SyncStatus>();
  private readonly workListeners = new Listeners<Work>();

  constructor(
    private readonly chain: ChainReader,
    hasWork: boolean,
  ) {
    this.events = { on: this.chainListeners.on };
    this.pendingTransactions = { onPending: this.pendingListeners.on };
    this.sync = { status: () => false, onChange: this.syncListeners.on };
    if (hasWork) this.work = { onWork: this.workListeners.on };
  }

  announce(event: PlainChainEvent): void {
    const { hash } = event;
    const { chain } = this;
    this.chainListeners.emit(
      announcedEvent(event, {
        header: () => stored(chain.headerByHash(hash)),
        block: () => stored(chain.blockByHash(hash)),
        receipts: () => stored(chain.receipts(hash)),
      }),
    );
  }

  announcePending({ encoded, senders }: PlainTransactions): void {
    const transactions = encoded.map((bytes) => Transaction.decode(bytes));
    applySenders(transactions, senders);
    this.pendingListeners.emit(transactions);
  }

  announceSync(status: SyncStatus): void {
    this.syncListeners.emit(status);
  }

  announceWork(work: Work): void {
    this.workListeners.emit(work);
  }
}

/**
 * Returns a part of an announced block. Blocks are on disk before their announcement; a local network may have deleted
 * them since.
 */
function stored<T>(value: T | undefined): T {
  if (value === undefined) throw internalError();
  return value;
}
