import type { ChainReader } from "@cambium/chain";
import { equalBytes, type Logger, toData } from "@cambium/primitives";
import type { ApiConfig } from "../config.js";
import { type RpcError, serverError, tooManyCriteria } from "../errors.js";
import type { Client } from "../limits/client.js";
import { OWN_CLIENT } from "../limits/client.js";
import { ClientBudget } from "../limits/client-budget.js";
import { criteriaCount, type LogFilter } from "../logs/log-filter.js";
import type { LogObject } from "../objects/log.js";
import type { ChainChange, ChainFeed, MovedBlock } from "../sources/chain-feed.js";
import type { PendingEventSource } from "../sources/events.js";
import { newFilterId } from "./filter-id.js";
import { Journal } from "./journal.js";
import { collectLogs, type JournalBlock } from "./log-collection.js";

/** Number of joined and removed blocks kept for filters that are polled rarely. */
const BLOCK_CAPACITY = 100_000;

/** Maximum number of hashes in one response; older ones are lost (`spec/09 §9.5`). */
const HASH_CAPACITY = 20_000;

/** Maximum number of whole transactions in one response; the next one has those that follow. */
const WHOLE_CAPACITY = 1_000;

/** Number of removed blocks whose contents are kept; others are read from the database. */
const CONTENTS_CAPACITY = 256;

/** Bytes of a filter, and of each of its addresses and topics. */
const FILTER_BYTES = 1024;
const CRITERION_BYTES = 400;

const SWEEP_MILLISECONDS = 30_000;

/** A filter: its position in a journal, and what it selects. */
interface Filter {
  kind: "logs" | "blocks" | "pending";
  /** Identity of its client. */
  client: string;
  /** Bytes taken from the client's budget. */
  bytes: number;
  /** Query of a log filter. */
  query?: LogFilter;
  /** Whether the changes are shown as transactions; for a filter of pending transactions. */
  isWhole?: boolean;
  /** Sequence number of the last change before the filter was created. */
  createdAfter: number;
  /** Journal position to read next. */
  position: number;
  /** `performance.now()` at creation or last use. */
  touched: number;
  /** The last poll of this filter: polls of one filter run one after the other. */
  turn: Promise<unknown>;
}

export interface FilterRegistryParts {
  chain: ChainReader;
  config: ApiConfig;
  feed: ChainFeed;
  pendingTransactions?: PendingEventSource;
  /** Shared with subscriptions; by default its own budget. */
  budget?: ClientBudget;
  logger: Logger;
  /** Clock in milliseconds, replaced in tests. */
  now?: () => number;
}

/**
 * Polling filters (`spec/09 §9.5`). A filter is a position in a journal of events: nothing is
 * searched or copied before the filter is polled.
 */
export class FilterRegistry {
  /** Least recently used first. */
  private readonly filters = new Map<string, Filter>();
  private readonly counts = new Map<string, number>();
  private readonly budget: ClientBudget;
  private readonly blocks = new Journal<JournalBlock>(BLOCK_CAPACITY);
  /** Removed blocks whose contents are kept, oldest first. */
  private readonly withContents: JournalBlock[] = [];
  private readonly pending = new Journal<Uint8Array>(HASH_CAPACITY);
  private readonly sweeper: NodeJS.Timeout;
  private readonly stops: (() => void)[] = [];
  private readonly now: () => number;

  constructor(private readonly parts: FilterRegistryParts) {
    this.budget = parts.budget ?? new ClientBudget(parts.config.filters.maxBytes);
    this.now = parts.now ?? (() => performance.now());
    this.stops.push(parts.feed.on((change) => this.addChange(change)));
    const stop = parts.pendingTransactions?.onPending((transactions) => {
      this.addPending(transactions.map(({ hash }) => hash));
    });
    if (stop !== undefined) this.stops.push(stop);
    this.sweeper = setInterval(() => this.sweep(), SWEEP_MILLISECONDS);
    this.sweeper.unref();
  }

  /** Number of installed filters. */
  get size(): number {
    return this.filters.size;
  }

  /**
   * Installs a log filter and returns its id. Throws {@link RpcError} `SERVER_ERROR` if there are too many filters, or
   * if those of the client take too much memory.
   */
  addLogFilter(query: LogFilter, client = OWN_CLIENT): string {
    return this.install("logs", client, query);
  }

  addBlockFilter(client = OWN_CLIENT): string {
    return this.install("blocks", client);
  }

  /**
   * Installs a filter for pending transactions. With `isWhole`, its changes are shown as transactions; a poll returns
   * fewer of them than of hashes.
   */
  addPendingFilter(client = OWN_CLIENT, isWhole = false): string {
    const id = this.install("pending", client);
    this.filters.get(id)!.isWhole = isWhole;
    return id;
  }

  /** Whether the changes of a filter are shown as transactions. */
  isWhole(id: string): boolean {
    return this.filters.get(id)?.isWhole === true;
  }

  /** Removes a filter; returns whether it existed. */
  uninstall(id: string): boolean {
    this.expire();
    return this.remove(id);
  }

  /** Changes since the last call. Rejects with {@link RpcError} `SERVER_ERROR` if the filter is unknown. */
  changes(id: string): Promise<string[] | LogObject[]> {
    const filter = this.use(id);
    const collecting = filter.turn.then(async (): Promise<string[] | LogObject[]> => this.collect(filter));
    filter.turn = collecting.catch(() => undefined);
    return collecting;
  }

  /** The query of a log filter. Throws {@link RpcError} `SERVER_ERROR` if the filter is unknown or of another kind. */
  queryOf(id: string): LogFilter {
    const { query } = this.use(id);
    if (query === undefined) throw notFound();
    return query;
  }

  close(): void {
    clearInterval(this.sweeper);
    for (const stop of this.stops) stop();
    for (const id of this.filters.keys()) this.remove(id);
  }

  private install(kind: Filter["kind"], { identity: client }: Client, query?: LogFilter): string {
    this.expire();
    if (this.filters.size >= this.parts.config.filters.maxFilters) this.makeRoom(client);
    const bytes = FILTER_BYTES + CRITERION_BYTES * (query === undefined ? 0 : criteriaCount(query.match));
    if (!this.budget.take(client, bytes)) throw tooManyCriteria();
    const id = newFilterId();
    this.counts.set(client, this.countOf(client) + 1);
    this.filters.set(id, {
      kind,
      client,
      bytes,
      query,
      createdAfter: this.parts.feed.sequence,
      position: this.journalOf(kind).end,
      touched: this.now(),
      turn: Promise.resolve(),
    });
    return id;
  }

  /** Removes the filter that was used least recently by the client with the most. Throws if that is `client`. */
  private makeRoom(client: string): void {
    const [largest, count] = [...this.counts].reduce((a, b) => (b[1] > a[1] ? b : a));
    if (this.countOf(client) >= count) throw serverError("too many filters");
    for (const [id, filter] of this.filters) {
      if (filter.client !== largest) continue;
      this.remove(id);
      return;
    }
  }

  private countOf(client: string): number {
    return this.counts.get(client) ?? 0;
  }

  /** Returns whether the filter existed. */
  private remove(id: string): boolean {
    const filter = this.filters.get(id);
    if (filter === undefined) return false;
    const { client, bytes } = filter;
    this.filters.delete(id);
    this.budget.release(client, bytes);
    const count = this.countOf(client) - 1;
    if (count > 0) this.counts.set(client, count);
    else this.counts.delete(client);
    return true;
  }

  private use(id: string): Filter {
    this.expire();
    const filter = this.filters.get(id);
    if (filter === undefined) throw notFound();
    filter.touched = this.now();
    this.filters.delete(id);
    this.filters.set(id, filter);
    return filter;
  }

  private collect(filter: Filter): Promise<LogObject[]> | string[] {
    const journal = this.journalOf(filter.kind);
    const oldest = filter.kind === "logs" ? journal.start : Math.max(journal.start, journal.end - HASH_CAPACITY);
    if (filter.position < oldest) this.skipLost(filter, oldest);
    switch (filter.kind) {
      case "logs":
        return collectLogs(this.parts, this.blocks, filter as Filter & { query: LogFilter });
      case "blocks":
        return this.hashes(filter, this.blocks, ({ hash, removed }) => (removed ? undefined : hash));
      case "pending":
        return this.hashes(filter, this.pending, (hash) => hash);
    }
  }

  private hashes<T>(filter: Filter, journal: Journal<T>, hashOf: (entry: T) => Uint8Array | undefined): string[] {
    const found: string[] = [];
    const end = filter.isWhole ? Math.min(journal.end, filter.position + WHOLE_CAPACITY) : journal.end;
    for (; filter.position < end; filter.position++) {
      const hash = hashOf(journal.at(filter.position)!);
      if (hash !== undefined) found.push(toData(hash));
    }
    return found;
  }

  private skipLost(filter: Filter, position: number): void {
    const lost = position - filter.position;
    this.parts.logger.info({ kind: filter.kind, lost }, "Polling filter missed items: the client polled too late");
    filter.position = position;
  }

  private journalOf(kind: Filter["kind"]): Journal<JournalBlock> | Journal<Uint8Array> {
    return kind === "pending" ? this.pending : this.blocks;
  }

  private addChange(change: ChainChange): void {
    if (this.filters.size === 0) return;
    for (const move of change.moves) {
      const { hash, number, removed, connectedIn } = move;
      const hasLogs = move.header.logsBloom.some((byte) => byte !== 0);
      const entry = { hash, number, removed, connectedIn, hasLogs };
      // `evm_revert` deletes the removed blocks of a local network: keep their contents while they can be read.
      if (removed && hasLogs) this.keep(entry, { block: move.block, receipts: move.receipts });
      this.blocks.append(entry);
    }
  }

  /** Stores a block's contents in its entry and in the earlier entry of the same block. */
  private keep(entry: JournalBlock, contents: Pick<MovedBlock, "block" | "receipts">): void {
    const earlier = this.blocks.findLast(({ hash }) => equalBytes(hash, entry.hash));
    for (const one of [entry, earlier]) if (one !== undefined) this.withContents.push(Object.assign(one, contents));
    while (this.withContents.length > CONTENTS_CAPACITY) {
      Object.assign(this.withContents.shift()!, { block: undefined, receipts: undefined });
    }
  }

  private addPending(hashes: readonly Uint8Array[]): void {
    if (this.filters.size === 0) return;
    for (const hash of hashes) this.pending.append(hash);
  }

  private hasExpired({ touched }: Filter): boolean {
    return this.now() - touched > this.parts.config.filters.expiry;
  }

  private expire(): void {
    for (const [id, filter] of this.filters) {
      if (!this.hasExpired(filter)) return;
      this.remove(id);
    }
  }

  /** Removes expired filters, and journal entries that no filter needs. */
  private sweep(): void {
    this.expire();
    const needed = { blocks: this.blocks.end, pending: this.pending.end };
    for (const { kind, position } of this.filters.values()) {
      const journal = kind === "pending" ? "pending" : "blocks";
      needed[journal] = Math.min(needed[journal], position);
    }
    this.blocks.forgetBefore(needed.blocks);
    this.pending.forgetBefore(needed.pending);
  }
}

/** viem reinstalls the filter when it receives this error (`spec/09 §16`). */
function notFound(): RpcError {
  return serverError("filter not found");
}
