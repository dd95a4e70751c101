import { EMPTY_BYTES, type Logger, pause, steadyTime, toHex } from "@cambium/primitives";
import type { PooledTransaction, PoolListener } from "@cambium/txpool";
import { createInbox, type NatsConnection } from "@nats-io/transport-node";
import { headersOf, listen, poolSnapshotSubject, poolSubject } from "../connection.js";
import { FailureLog } from "../failure-log.js";
import { ForeignMessages } from "../foreign-messages.js";
import type { SealedStream } from "../seal.js";
import {
  decodeNews,
  decodePart,
  MAX_MIRRORED,
  type PoolNews,
  type PoolPart,
  type SentChange,
  type SentTransaction,
} from "./pool-message.js";

/** Milliseconds without a message after which messages of the writer may have been lost. */
const MAX_SILENCE = 3_000;
const RETRY_WAIT = 500;
const SNAPSHOT_TIMEOUT = 10_000;
/** Maximum size of all parts of a pool, in bytes: transactions with their senders. */
const MAX_RECEIVED = 2 * MAX_MIRRORED;
/**
 * Milliseconds for which a transaction that left the pool is still found: its block may arrive later than that message.
 */
const LEAVING_TIME = 2_000;
/** Milliseconds for which messages of a former writer are ignored. */
const PAST_TIME = 60_000;
/** Maximum number of remembered former writers. */
const MAX_PAST = 100;
/** Status with which the server answers a message that has no receiver. */
const NO_RESPONDERS = 503;
/** Maximum number of messages that wait until the whole pool has arrived. */
const MAX_WAITING = 10_000;

/** A mirrored transaction, without origin and age, which JSON-RPC does not show. */
type Mirrored = PooledTransaction & { isPending: boolean; isAnnounced: boolean };

/**
 * The transactions of a writer's pool, as far as they have arrived. Missing messages are detected by their numbers. The
 * whole pool is then fetched again, and listeners are notified of transactions that became pending in the meantime.
 */
export class PoolMirror {
  /** Transactions by id, oldest first. */
  private all = new Map<string, Mirrored>();
  /** Transactions that recently left the pool, with the time until which they are found. Oldest first. */
  private readonly leaving = new Map<string, { pooled: Mirrored; until: number }>();
  private bytes = 0;
  private arrivals = 0;
  /** Position of the latest message that `all` contains; undefined if some were missed. */
  private position: { epoch: string; sequence: number } | undefined;
  /** Whether the mirror was complete once: transactions pending at that time are not new. */
  private hasStarted = false;
  private heardAt = Number.NEGATIVE_INFINITY;
  private waiting: PoolNews[] = [];
  /** Times until which former writers are ignored, by epoch: other programs may repeat their messages. */
  private readonly pastEpochs = new Map<string, number>();
  private readonly listeners = new Set<PoolListener>();
  private readonly stopped = new AbortController();
  private fetching: Promise<void> | undefined;

  /** Whether the mirror equals the writer's pool, as far as this replica can know. */
  isCurrent(): boolean {
    return this.position !== undefined && steadyTime() - this.heardAt <= MAX_SILENCE;
  }

  pending(): readonly PooledTransaction[] {
    return [...this.all.values()].filter(({ isPending }) => isPending);
  }

  queued(): readonly PooledTransaction[] {
    return [...this.all.values()].filter(({ isPending }) => !isPending);
  }

  get(hash: Uint8Array): PooledTransaction | undefined {
    const id = toHex(hash);
    const left = this.leaving.get(id);
    return this.all.get(id) ?? (left !== undefined && left.until >= steadyTime() ? left.pooled : undefined);
  }

  counts(): { pending: number; queued: number; bytes: number } {
    const pending = this.pending().length;
    return { pending, queued: this.all.size - pending, bytes: this.bytes };
  }

  /** Adds a listener, which receives only `newPending`. */
  on(listener: PoolListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Follows a writer until the mirror is closed. */
  follow(connection: NatsConnection, address: SealedStream, logger: Logger): void {
    const failures = new FailureLog(logger, "mirror the writer's transaction pool");
    const foreign = ForeignMessages.unsealed(logger, "change of the transaction pool");
    const fetch = () => {
      this.fetching ??= this.fetch(connection, address, failures).finally(() => {
        this.fetching = undefined;
      });
    };
    const receive = (data: Uint8Array) => {
      if (!this.receive(decodeNews(data))) fetch();
    };
    const fail = (error: Error) => {
      this.position = undefined;
      failures.failed(error);
    };
    listen(
      connection,
      poolSubject(address),
      (message) => {
        if (this.stopped.signal.aborted) return;
        const headers = headersOf(() => message.headers);
        if (address.seal.isIn(headers, "pool", [], message.data)) receive(message.data);
        else foreign.skipped({ subject: message.subject });
      },
      fail,
    );
    fetch();
  }

  /** Resolves when all parts of the pool have arrived. */
  async close(): Promise<void> {
    this.stopped.abort();
    await this.fetching;
  }

  /** Applies a message. Returns whether none was missed. */
  private receive(news: PoolNews): boolean {
    const now = steadyTime();
    const { position } = this;
    if (position === undefined) {
      this.waiting.push(news);
      if (this.waiting.length > MAX_WAITING) this.waiting.shift();
      return false;
    }
    const isSignOfLife = news.changes.length === 0 && news.pending.length === 0;
    const next = position.sequence + (isSignOfLife ? 0 : 1);
    const isRepeated =
      news.epoch === position.epoch ? news.sequence < next : (this.pastEpochs.get(news.epoch) ?? now) > now;
    if (isRepeated) return true;
    this.heardAt = now;
    this.forgetLeaving(now);
    if (news.epoch !== position.epoch || news.sequence !== next) {
      this.position = undefined;
      this.waiting = [news];
      return false;
    }
    position.sequence = news.sequence;
    for (const change of news.changes) this.apply(change);
    this.announce(news.pending);
    return true;
  }

  private forgetLeaving(now: number): void {
    for (const [id, { until }] of this.leaving) {
      if (until >= now) break;
      this.leaving.delete(id);
    }
  }

  private apply(change: SentChange): void {
    if (change.kind === "added") {
      this.add(change);
      return;
    }
    const known = this.all.get(change.id);
    if (known === undefined) throw new Error("a transaction is missing");
    if (change.kind === "queued") known.isPending = false;
    else this.all.delete(change.id);
    if (change.kind === "removed") {
      this.bytes -= known.transaction.size;
      this.leaving.set(change.id, { pooled: known, until: steadyTime() + LEAVING_TIME });
    } else if (change.kind === "last") this.all.set(change.id, { ...known, isPending: change.isPending });
  }

  private add({ transaction, sender, isPending }: SentTransaction): void {
    this.bytes += transaction.size;
    if (this.bytes > MAX_MIRRORED) throw tooLarge();
    const id = toHex(transaction.hash);
    const arrival = this.arrivals++;
    const unknown = { isLocal: false, since: { time: 0, block: 0 } };
    this.all.set(id, { transaction, id, sender, isPending, isAnnounced: false, arrival, ...unknown });
  }

  private announce(ids: readonly string[]): void {
    const pending = ids.map((id) => this.all.get(id)).filter((one) => one?.isPending === true);
    if (pending.length === 0) return;
    for (const one of pending) one!.isAnnounced = true;
    const transactions = pending.map((one) => one!.transaction);
    for (const listener of this.listeners) listener({ kind: "newPending", transactions, cause: "remote" });
  }

  /** Fetches the pool until it is complete. Never rejects. */
  private async fetch(connection: NatsConnection, address: SealedStream, failures: FailureLog): Promise<void> {
    const { signal } = this.stopped;
    while (this.position === undefined && !signal.aborted && !connection.isClosed()) {
      try {
        const cause = this.waiting.at(-1)?.epoch;
        // The complete pool includes these changes.
        this.waiting = [];
        this.replace(await partsOf(connection, address), cause);
        failures.succeeded();
      } catch (error) {
        this.position = undefined;
        if (!signal.aborted) failures.failed(error as Error);
        await pause(RETRY_WAIT, signal);
      }
    }
  }

  /** Replaces the mirror by the complete pool. `cause` is the epoch of the message that made this necessary. */
  private replace(parts: readonly PoolPart[], cause: string | undefined): void {
    const [first] = parts;
    if (first === undefined) throw tooLarge();
    const { epoch, sequence } = first;
    if (cause !== undefined && cause !== epoch) this.ignoreEpoch(cause);
    const before = this.all;
    [this.all, this.bytes] = [new Map(), 0];
    for (const { transactions } of parts) for (const one of transactions) this.add(one);
    this.position = { epoch, sequence };
    for (const one of this.all.values()) {
      one.isAnnounced = before.get(one.id)?.isAnnounced ?? (one.isPending && !this.hasStarted);
    }
    this.hasStarted = true;
    const isNew = ({ isPending, isAnnounced }: Mirrored) => isPending && !isAnnounced;
    this.announce([...this.all.values()].filter(isNew).map(({ id }) => id));
    const { waiting } = this;
    this.waiting = [];
    this.heardAt = steadyTime();
    for (const news of waiting) {
      const isOld = news.epoch === epoch && news.sequence <= sequence;
      if (!isOld && this.position !== undefined) this.receive(news);
    }
  }

  /** Ignores an epoch, but only for a while: the previous writer may have answered after the next one began. */
  private ignoreEpoch(epoch: string): void {
    const { pastEpochs } = this;
    pastEpochs.set(epoch, steadyTime() + PAST_TIME);
    if (pastEpochs.size > MAX_PAST) pastEpochs.delete(pastEpochs.keys().next().value!);
  }
}

function tooLarge(): Error {
  return new Error(`it has more than ${MAX_MIRRORED} bytes of transactions; requests are forwarded`);
}

/** Fetches the writer's complete pool. Ignores parts without a valid seal for their position in the answer. */
async function partsOf(connection: NatsConnection, address: SealedStream): Promise<PoolPart[]> {
  const { seal } = address;
  const reply = createInbox();
  const parts: PoolPart[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    const end = (result: () => void) => {
      clearTimeout(timer);
      subscription.unsubscribe();
      result();
    };
    const fail = (error: Error) => end(() => reject(error));
    const late = new Error(`it did not arrive within ${SNAPSHOT_TIMEOUT} ms`);
    const timer = setTimeout(() => fail(late), SNAPSHOT_TIMEOUT);
    const subscription = listen(
      connection,
      reply,
      (message) => {
        const { data } = message;
        const headers = headersOf(() => message.headers);
        const isPart = seal.isIn(headers, "pool-part", [reply, parts.length], data);
        if (isPart) bytes += data.length;
        if (bytes > MAX_RECEIVED) throw tooLarge();
        if (isPart && data.length === 0) end(() => resolve(parts));
        else if (isPart) parts.push(decodePart(data));
        else if (headers?.code === NO_RESPONDERS) throw new Error("no writer is connected to the same NATS servers");
      },
      fail,
    );
    void subscription.closed.then(() => fail(new Error("the connection to NATS was closed")));
    const request = { reply, headers: seal.headers("pool-request", [reply], EMPTY_BYTES) };
    connection.publish(poolSnapshotSubject(address), EMPTY_BYTES, request);
  });
}
