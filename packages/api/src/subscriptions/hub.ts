import { randomBytes } from "node:crypto";
import type { Work } from "@cambium/miner";
import { toData, toHex } from "@cambium/primitives";
import type { Block, Transaction } from "@cambium/types";
import { serverError, tooManyCriteria } from "../errors.js";
import type { Client } from "../limits/client.js";
import { OWN_CLIENT } from "../limits/client.js";
import type { ClientBudget } from "../limits/client-budget.js";
import { blockLogs } from "../logs/block-logs.js";
import { criteriaCount, type LogMatch } from "../logs/log-filter.js";
import { keysOf, LogMatcher } from "../logs/log-matcher.js";
import { locatedLogObject } from "../objects/log.js";
import { NO_MINER, workObject } from "../objects/mining-answers.js";
import { syncStatusObject } from "../objects/sync-status.js";
import { pendingTransactionObject } from "../objects/transaction.js";
import type { ChainChange, ChainFeed, MovedBlock } from "../sources/chain-feed.js";
import type { NewsSources, SyncStatus } from "../sources/events.js";
import { LogSubscribers } from "./log-subscribers.js";
import { SlicedWork } from "./sliced-work.js";
import type { Topic } from "./topic.js";

/** Sends a complete message on one connection. */
export type Deliver = (message: string) => void;

/** One active subscription. */
export interface Subscription {
  readonly id: string;
  end(): void;
}

interface Subscriber {
  readonly deliver: Deliver;
  /** Text of a notification before the result. */
  readonly head: string;
  /** Number of the last event before the subscription. */
  readonly since: number;
}

interface LogSubscriber extends Subscriber {
  readonly matcher: LogMatcher;
  /** Sequence number of the last change before the subscription. */
  readonly sinceChange: number;
}

/** Bytes of a subscription, and of each of its addresses and topics, in sets and indexes. */
const SUBSCRIPTION_BYTES = 1024;
const CRITERION_BYTES = 400;

/** Subscribers notified or compared with a log in one step of the work. */
const STEP = 64;

/** A moved block, with the parts that subscribers need. */
interface NotifiedBlock {
  move: MovedBlock;
  /** Whether subscribers to heads are notified of it. */
  isHead: boolean;
  /**
   * Parts of the block. For a block on the best chain they are read when needed; a removed block may be deleted before.
   */
  contents: Pick<MovedBlock, "block" | "receipts"> | undefined;
}

/** The events of a chain. */
export interface HubNews extends Pick<NewsSources, "pendingTransactions" | "sync" | "work"> {
  feed: ChainFeed;
  /** Result of a notification of a new head. */
  headObject: (block: Block) => object;
}

/**
 * Notifies subscribers of events (`spec/09 §10.1`). Events are delivered as they arrive: a later subscriber
 * receives no earlier event, and all subscriptions of a connection share one order. A head precedes its logs, and in a
 * reorganisation the removed logs precede the added ones.
 */
export class SubscriptionHub {
  private readonly heads = new Set<Subscriber>();
  /** Subscribers to the hashes of pending transactions, and to the transactions. */
  private readonly hashes = new Set<Subscriber>();
  private readonly wholes = new Set<Subscriber>();
  private readonly syncing = new Set<Subscriber>();
  private readonly workers = new Set<Subscriber>();
  /** Stops listening to new work. While there is a listener, block templates are built ahead of requests. */
  private stopWork: (() => void) | undefined;
  private readonly logs = new LogSubscribers<LogSubscriber>();
  private readonly work = new SlicedWork();
  private stops: (() => void)[] = [];
  /** Number of events so far. */
  private events = 0;

  constructor(
    private news: HubNews,
    private readonly budget: ClientBudget,
  ) {
    this.listen();
  }

  /**
   * Continues with another chain, whose changes have later sequence numbers. Undelivered changes of the present chain
   * are lost.
   */
  follow(news: HubNews): void {
    this.close();
    this.news = news;
    this.listen();
  }

  private listen(): void {
    const { feed, pendingTransactions, sync } = this.news;
    this.stops = [feed.on((change) => this.notifyChange(change))];
    if (pendingTransactions) this.stops.push(pendingTransactions.onPending((news) => this.notifyPending(news)));
    if (sync) this.stops.push(sync.onChange((status) => this.notifySyncing(status)));
    this.listenToWork();
  }

  /**
   * Adds a subscription. Throws {@link RpcError} `SERVER_ERROR` if the client has too many subscriptions, addresses and
   * topics, or if it requests work and there is no miner server.
   */
  subscribe(topic: Topic, deliver: Deliver, { share }: Client = OWN_CLIENT): Subscription {
    if (topic.kind === "work" && this.news.work === undefined) throw serverError(NO_MINER);
    const bytes = SUBSCRIPTION_BYTES + (topic.kind === "logs" ? CRITERION_BYTES * criteriaCount(topic.match) : 0);
    if (!this.budget.take(share, bytes)) throw tooManyCriteria();
    const id = `0x${toHex(randomBytes(16))}`;
    const head = `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":`;
    const subscriber = { deliver, head, since: this.events };
    const remove = topic.kind === "logs" ? this.addLogs(subscriber, topic.match) : this.add(topic, subscriber);
    let isActive = true;
    const end = () => {
      if (!isActive) return;
      isActive = false;
      remove();
      this.budget.release(share, bytes);
    };
    return { id, end };
  }

  close(): void {
    for (const stop of this.stops) stop();
    this.stopWork?.();
    this.stopWork = undefined;
    this.work.close();
  }

  private add(topic: Exclude<Topic, { kind: "logs" }>, subscriber: Subscriber): () => void {
    const group = this.groupOf(topic);
    group.add(subscriber);
    if (topic.kind === "work") this.listenToWork();
    return () => {
      group.delete(subscriber);
      if (topic.kind === "work") this.listenToWork();
    };
  }

  /** Listens to new work while there are subscribers. */
  private listenToWork(): void {
    if (this.workers.size > 0) this.stopWork ??= this.news.work?.onWork((work) => this.notifyWork(work));
    else {
      this.stopWork?.();
      this.stopWork = undefined;
    }
  }

  private groupOf(topic: Exclude<Topic, { kind: "logs" }>): Set<Subscriber> {
    switch (topic.kind) {
      case "newHeads":
        return this.heads;
      case "syncing":
        return this.syncing;
      case "work":
        return this.workers;
      case "newPendingTransactions":
        return topic.whole ? this.wholes : this.hashes;
    }
  }

  private addLogs(subscriber: Subscriber, match: LogMatch): () => void {
    const entry = { ...subscriber, matcher: new LogMatcher(match), sinceChange: this.news.feed.sequence };
    this.logs.add(entry);
    return () => this.logs.delete(entry);
  }

  private notifyChange(change: ChainChange): void {
    this.events++;
    if (this.heads.size === 0 && this.logs.isEmpty) return;
    this.work.add(
      this.changeSteps(
        this.events,
        change.moves.map((move) => this.wanted(move)),
      ),
    );
  }

  private wanted(move: MovedBlock): NotifiedBlock {
    const { removed } = move;
    const isHead = !removed && this.heads.size > 0;
    if (this.logs.isEmpty) return { move, isHead, contents: undefined };
    return { move, isHead, contents: removed ? { block: move.block, receipts: move.receipts } : move };
  }

  private *changeSteps(event: number, moves: readonly NotifiedBlock[]): Generator<void> {
    for (const { move, isHead, contents } of moves) {
      if (isHead) yield* notify(this.heads, event, () => this.news.headObject(move.block));
      if (contents !== undefined && !this.logs.isEmpty) yield* this.logSteps(move, contents);
    }
  }

  private *logSteps(
    { removed, connectedIn }: MovedBlock,
    { block, receipts }: Pick<MovedBlock, "block" | "receipts">,
  ): Generator<void> {
    let compared = 0;
    for (const located of blockLogs(block, receipts)) {
      const keys = keysOf(located.log);
      let text: string | undefined;
      for (const subscriber of this.logs.candidates(keys)) {
        if (++compared % STEP === 0) yield;
        // A subscriber that was never notified of a block is not notified of its removal.
        if (connectedIn <= subscriber.sinceChange || !subscriber.matcher.matches(keys)) continue;
        text ??= JSON.stringify({ ...locatedLogObject(located), removed });
        subscriber.deliver(message(subscriber, text));
      }
      if (++compared % STEP === 0) yield;
    }
  }

  private notifyPending(transactions: readonly Transaction[]): void {
    const event = ++this.events;
    const { hashes, wholes } = this;
    if (hashes.size + wholes.size > 0) this.work.add(this.pendingSteps(event, transactions));
  }

  private *pendingSteps(event: number, transactions: readonly Transaction[]): Generator<void> {
    for (const transaction of transactions) {
      yield* notify(this.hashes, event, () => toData(transaction.hash));
      yield* notify(this.wholes, event, () => pendingTransactionObject(transaction));
    }
  }

  private notifyWork(work: Work): void {
    const event = ++this.events;
    this.work.add(notify(this.workers, event, () => workObject(work)));
  }

  private notifySyncing(status: SyncStatus): void {
    const event = ++this.events;
    if (this.syncing.size > 0) this.work.add(notify(this.syncing, event, () => syncStatusObject(status)));
  }
}

/**
 * Notifies subscribers that joined before the event, in steps. The result is built once, and only if there are
 * subscribers.
 */
function* notify(subscribers: ReadonlySet<Subscriber>, event: number, result: () => unknown): Generator<void> {
  let text: string | undefined;
  let notified = 0;
  for (const subscriber of subscribers) {
    if (++notified % STEP === 0) yield;
    if (subscriber.since >= event) continue;
    text ??= JSON.stringify(result());
    subscriber.deliver(message(subscriber, text));
  }
}

function message({ head }: Subscriber, result: string): string {
  return `${head}${result}}}`;
}
