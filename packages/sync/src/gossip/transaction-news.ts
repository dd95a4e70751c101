import { MAX_GOSSIP_TRANSACTIONS } from "@cambium/networking";
import { LruCache, type Timers, toHex } from "@cambium/primitives";
import type { PoolEvent } from "@cambium/txpool";
import type { Transaction } from "@cambium/types";
import type { GossipModules } from "./modules.js";

/** Time for which news are gathered, so that many travel together. Milliseconds. */
const GATHERING = 5;
const MAX_REMEMBERED = 20_000;
/** Own transactions that are looked after. */
const MAX_OWN = 4096;
/** An own transaction is repeated after so many blocks and seconds, the next time after twice as many blocks. */
const REPEAT_BLOCKS = 2;
const REPEAT_SECONDS = 10;
const MAX_REPEATS = 6;
/** Transactions in one round of repeating. */
const MAX_PER_ROUND = 256;
/** After a peer from another branch has come: rounds, and milliseconds before the first and between them. */
const JOIN_ROUNDS = 3;
const JOIN_DELAY = 1_000;
const JOIN_INTERVAL = 10_000;
/** How repetitions are made to differ; see `repeat`. Bytes. */
const MAX_COPIES = 8;
const MAX_COPIED_BYTES = 4096;

/** When an own transaction was last handed to peers, and how often. */
interface Sent {
  hash: Uint8Array;
  times: number;
  time: number;
  block: number;
}

/**
 * Hands the pool's news to peers. What came by gossip is handed on by the mesh; what was handed in here is published
 * once when it becomes pending.
 *
 * Gossip carries a transaction only to whoever is there at that moment, so two things are repeated. An own transaction
 * that is still pending after two blocks (then four, eight, …, six times at most) and ten seconds. And the pending
 * transactions, whosever they are, when a peer comes whose best block is not on our best chain, or the first peer of all:
 * the two sides of a network that was cut know different transactions, and those between the sides are the only ones who
 * can tell. Three rounds ten seconds apart, as the other one may have to synchronise first.
 */
export class TransactionNews {
  private readonly gathered: Transaction[] = [];
  private readonly sent = new LruCache<string, true>(MAX_REMEMBERED);
  /** The oldest first. */
  private readonly own = new Map<string, Sent>();
  private cancelSending: (() => void) | undefined;
  private cancelRound: (() => void) | undefined;
  private roundsLeft = 0;
  private lastRound = Number.NEGATIVE_INFINITY;
  private repetitions = 0;

  constructor(
    private readonly modules: Pick<GossipModules, "chain" | "pool" | "network" | "engine" | "now">,
    private readonly timers: Timers,
  ) {}

  /** Own transactions that are there from before are looked after as well. */
  start(): void {
    for (const { transaction, isLocal } of this.modules.pool.pending()) {
      if (isLocal) this.lookAfter(transaction.hash, 0);
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
    // Own ones that waited in the queue are told of by whatever made them pending; a local one may promote others' too.
    const isNews = (hash: Uint8Array) => event.cause === "local" || this.modules.pool.get(hash)?.isLocal === true;
    for (const transaction of event.transactions) if (isNews(transaction.hash)) this.gather(transaction);
  }

  private gather(transaction: Transaction): void {
    const id = toHex(transaction.hash);
    if (this.sent.has(id)) return;
    this.sent.set(id, true);
    if (this.modules.pool.get(transaction.hash)?.isLocal) this.lookAfter(transaction.hash, 1);
    this.gathered.push(transaction);
    this.cancelSending ??= this.timers.after(GATHERING, () => this.send());
  }

  private send(): void {
    this.cancelSending = undefined;
    this.publish(this.gathered.splice(0).map(({ encoded }) => encoded));
  }

  private publish(encoded: readonly Uint8Array[]): void {
    for (let start = 0; start < encoded.length; start += MAX_GOSSIP_TRANSACTIONS) {
      void this.modules.network.publishTransactions(encoded.slice(start, start + MAX_GOSSIP_TRANSACTIONS));
    }
  }

  private lookAfter(hash: Uint8Array, times: number): void {
    const block = this.modules.chain.best().header.number;
    this.own.set(toHex(hash), { hash, times, time: this.modules.now(), block });
    if (this.own.size > MAX_OWN) this.own.delete(this.own.keys().next().value!);
  }

  /** To be called when the pool has moved to a new best block. Mined ones are kept in mind: they may come back. */
  onBestBlock(): void {
    const { engine, pool, chain, now } = this.modules;
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

  /** To be called when a peer has come that may know other transactions than those around us. */
  onJoin(): void {
    this.roundsLeft = JOIN_ROUNDS;
    if (this.cancelRound !== undefined) return;
    const sinceLast = this.modules.now() * 1000 - this.lastRound;
    this.scheduleRound(Math.max(JOIN_DELAY, JOIN_INTERVAL - sinceLast));
  }

  private scheduleRound(delay: number): void {
    this.cancelRound = this.timers.after(delay, () => this.round());
  }

  private round(): void {
    const { engine, pool, now } = this.modules;
    this.cancelRound = undefined;
    this.lastRound = now() * 1000;
    // While far behind, the pool is that of an old block.
    if (!engine.isFarBehind()) {
      this.roundsLeft--;
      const pending = pool.pending().slice(0, MAX_PER_ROUND);
      this.repeat(pending.map(({ transaction }) => transaction.encoded));
    }
    if (this.roundsLeft > 0) this.scheduleRound(JOIN_INTERVAL);
  }

  /**
   * Publishes again. The mesh knows a message by its content and drops what it has seen within minutes, so a repetition
   * has to differ: each message names its first transaction some more times, while it is small.
   */
  private repeat(encoded: readonly Uint8Array[]): void {
    if (encoded.length === 0) return;
    const copies = 1 + (this.repetitions++ % MAX_COPIES);
    const perMessage = MAX_GOSSIP_TRANSACTIONS - MAX_COPIES;
    for (let start = 0; start < encoded.length; start += perMessage) {
      const [first, ...others] = encoded.slice(start, start + perMessage);
      const times = first!.length <= MAX_COPIED_BYTES ? 1 + copies : 1;
      void this.modules.network.publishTransactions([...new Array<Uint8Array>(times).fill(first!), ...others]);
    }
  }
}
