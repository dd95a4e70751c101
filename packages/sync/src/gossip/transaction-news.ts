import { MAX_GOSSIP_TRANSACTIONS } from "@cambium/networking";
import { LruCache, type Timers, toHex } from "@cambium/primitives";
import type { PoolEvent } from "@cambium/txpool";
import type { Transaction } from "@cambium/types";
import type { GossipParts } from "./parts.js";

/** Milliseconds for which transactions are collected into one message. */
const GATHERING = 5;
const MAX_REMEMBERED = 20_000;
/** Maximum number of own transactions that are repeated. */
const MAX_OWN = 4096;
/** Number of blocks and seconds after which an own transaction is repeated; the blocks double each time. */
const REPEAT_BLOCKS = 2;
const REPEAT_SECONDS = 10;
const MAX_REPEATS = 6;
/** Maximum number of transactions in one round of repeating. */
const MAX_PER_ROUND = 256;
/**
 * Number of rounds after a peer of another branch has connected, and milliseconds before the first and between them.
 */
const JOIN_ROUNDS = 3;
const JOIN_DELAY = 1_000;
const JOIN_INTERVAL = 10_000;
/** Maximum number of copies, and their size in bytes, by which repetitions differ; see `repeat`. */
const MAX_COPIES = 8;
const MAX_COPIED_BYTES = 4096;

/** Time and number of the publications of an own transaction. */
interface Sent {
  hash: Uint8Array;
  times: number;
  time: number;
  block: number;
}

/**
 * Publishes local transactions of the pool once they become pending. When transactions of peers become pending, passes
 * them on where gossip has not relayed them on receipt.
 *
 * Gossip reaches only the peers that are connected at that moment, so two things are repeated. First, an own
 * transaction that is still pending after two blocks (then four, eight, …, at most six times) and ten seconds. Second,
 * all pending transactions when the first peer connects, or a peer whose best block is not on our best chain. The two
 * sides of a partitioned network have different transactions, and only nodes connected to both can pass them on. There
 * are three rounds ten seconds apart, because the peer may have to synchronise first.
 */
export class TransactionNews {
  private readonly gathered: Transaction[] = [];
  private readonly sent = new LruCache<string, true>(MAX_REMEMBERED);
  /** Own transactions, oldest first. */
  private readonly own = new Map<string, Sent>();
  private cancelSending: (() => void) | undefined;
  private cancelRound: (() => void) | undefined;
  private roundsLeft = 0;
  private lastRound = Number.NEGATIVE_INFINITY;
  private repetitions = 0;

  constructor(
    private readonly parts: Pick<GossipParts, "chain" | "pool" | "network" | "engine" | "now">,
    private readonly timers: Timers,
  ) {}

  /** Starts; includes own transactions that were pooled before. */
  start(): void {
    for (const { transaction, isLocal } of this.parts.pool.pending()) {
      if (isLocal) this.track(transaction.hash, 0);
    }
  }

  stop(): void {
    this.cancelSending?.();
    this.cancelRound?.();
    this.cancelSending = undefined;
    this.cancelRound = undefined;
  }

  onPoolEvent(event: PoolEvent): void {
    if (event.kind !== "newPending") return;
    if (event.cause === "restart" || event.cause === "reorganisation") return;
    // Any event may make queued own transactions pending, and a local one may promote those of others.
    const isNews = (hash: Uint8Array) => event.cause === "local" || this.parts.pool.get(hash)?.isLocal === true;
    const ofPeers: Uint8Array[] = [];
    for (const transaction of event.transactions) {
      if (isNews(transaction.hash)) this.gather(transaction);
      else ofPeers.push(transaction.encoded);
    }
    if (event.cause === "remote" && ofPeers.length > 0) void this.parts.network.relayPending(ofPeers);
  }

  private gather(transaction: Transaction): void {
    const id = toHex(transaction.hash);
    if (this.sent.has(id)) return;
    this.sent.set(id, true);
    if (this.parts.pool.get(transaction.hash)?.isLocal) this.track(transaction.hash, 1);
    this.gathered.push(transaction);
    this.cancelSending ??= this.timers.after(GATHERING, () => this.send());
  }

  private send(): void {
    this.cancelSending = undefined;
    this.publish(this.gathered.splice(0).map(({ encoded }) => encoded));
  }

  private publish(encoded: readonly Uint8Array[]): void {
    for (let start = 0; start < encoded.length; start += MAX_GOSSIP_TRANSACTIONS) {
      void this.parts.network.publishTransactions(encoded.slice(start, start + MAX_GOSSIP_TRANSACTIONS));
    }
  }

  private track(hash: Uint8Array, times: number): void {
    const block = this.parts.chain.best().header.number;
    this.own.set(toHex(hash), { hash, times, time: this.parts.now(), block });
    if (this.own.size > MAX_OWN) this.own.delete(this.own.keys().next().value!);
  }

  /**
   * Repeats own transactions; call it after the pool has processed a new best block. Mined transactions stay tracked: a
   * reorganisation may return them.
   */
  onBestBlock(): void {
    const { engine, pool, chain, now } = this.parts;
    if (this.own.size === 0 || engine.isFarBehind()) return;
    const block = chain.best().header.number;
    const due: Uint8Array[] = [];
    for (const [id, sent] of this.own) {
      if (due.length === MAX_PER_ROUND) break;
      if (block < sent.block + REPEAT_BLOCKS * 2 ** Math.max(0, sent.times - 1)) continue;
      if (now() < sent.time + REPEAT_SECONDS) continue;
      const pooled = pool.get(sent.hash);
      if (!pooled?.isPending) continue;
      if (sent.times >= MAX_REPEATS) this.own.delete(id);
      Object.assign(sent, { times: sent.times + 1, time: now(), block });
      due.push(pooled.transaction.encoded);
    }
    this.repeat(due);
  }

  /** Starts rounds; call it when a peer connects that may have other transactions than our peers. */
  onJoin(): void {
    this.roundsLeft = JOIN_ROUNDS;
    if (this.cancelRound !== undefined) return;
    const sinceLast = this.parts.now() * 1000 - this.lastRound;
    this.scheduleRound(Math.max(JOIN_DELAY, JOIN_INTERVAL - sinceLast));
  }

  private scheduleRound(delay: number): void {
    this.cancelRound = this.timers.after(delay, () => this.round());
  }

  private round(): void {
    const { engine, pool, now } = this.parts;
    this.cancelRound = undefined;
    this.lastRound = now() * 1000;
    // The pool of a node that is far behind belongs to an old block.
    if (!engine.isFarBehind()) {
      this.roundsLeft--;
      const pending = pool.pending().slice(0, MAX_PER_ROUND);
      this.repeat(pending.map(({ transaction }) => transaction.encoded));
    }
    if (this.roundsLeft > 0) this.scheduleRound(JOIN_INTERVAL);
  }

  /**
   * Publishes again. Gossip identifies messages by their content and drops those seen within minutes, so repetitions
   * must differ. Each message therefore repeats its first transaction a few times, if that is small.
   */
  private repeat(encoded: readonly Uint8Array[]): void {
    if (encoded.length === 0) return;
    const copies = 1 + (this.repetitions++ % MAX_COPIES);
    const perMessage = MAX_GOSSIP_TRANSACTIONS - MAX_COPIES;
    for (let start = 0; start < encoded.length; start += perMessage) {
      const [first, ...others] = encoded.slice(start, start + perMessage);
      const times = first!.length <= MAX_COPIED_BYTES ? 1 + copies : 1;
      void this.parts.network.publishTransactions([...new Array<Uint8Array>(times).fill(first!), ...others]);
    }
  }
}
