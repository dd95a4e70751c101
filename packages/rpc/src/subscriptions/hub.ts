import { randomBytes } from "node:crypto";
import { toData, toHex } from "@cambium/primitives";
import type { ChainChange, ChainFeed, MovedBlock } from "../chain-feed.js";
import { blockLogs } from "../logs/block-logs.js";
import type { LogMatch } from "../logs/log-filter.js";
import { headObject } from "../objects/head.js";
import { locatedLogObject } from "../objects/log.js";
import { syncStatusObject } from "../objects/sync-status.js";
import type { NewsSources, SyncStatus } from "../sources.js";
import { LogSubscribers } from "./log-subscribers.js";
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
}

interface LogSubscriber extends Subscriber {
  readonly match: LogMatch;
  /** Sequence number of the last change before the subscription. */
  readonly since: number;
}

/**
 * Notifies subscribers of events (00, Events; `spec/09 §10.1`). Events are delivered as they arrive: a later subscriber
 * receives no earlier event, and all subscriptions of a connection share one order. A head precedes its logs, and in a
 * reorganisation the removed logs precede the added ones.
 */
export class SubscriptionHub {
  private readonly heads = new Set<Subscriber>();
  private readonly transactions = new Set<Subscriber>();
  private readonly syncing = new Set<Subscriber>();
  private readonly logs = new LogSubscribers<LogSubscriber>();
  private readonly stops: (() => void)[] = [];

  constructor(
    private readonly feed: ChainFeed,
    { pendingTransactions, sync }: NewsSources,
  ) {
    this.stops.push(feed.on((change) => this.notifyChange(change)));
    if (pendingTransactions) this.stops.push(pendingTransactions.onPending((hashes) => this.notifyPending(hashes)));
    if (sync) this.stops.push(sync.onChange((status) => this.notifySyncing(status)));
  }

  subscribe(topic: Topic, deliver: Deliver): Subscription {
    const id = `0x${toHex(randomBytes(16))}`;
    const head = `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":`;
    const subscriber = { deliver, head };
    return {
      id,
      end: topic.kind === "logs" ? this.addLogs(subscriber, topic.match) : this.add(topic.kind, subscriber),
    };
  }

  close(): void {
    for (const stop of this.stops) stop();
  }

  private add(kind: Exclude<Topic["kind"], "logs">, subscriber: Subscriber): () => void {
    const group = { newHeads: this.heads, newPendingTransactions: this.transactions, syncing: this.syncing }[kind];
    group.add(subscriber);
    return () => group.delete(subscriber);
  }

  private addLogs(subscriber: Subscriber, match: LogMatch): () => void {
    const entry = { ...subscriber, match, since: this.feed.sequence };
    this.logs.add(entry);
    return () => this.logs.delete(entry);
  }

  private notifyChange({ moves }: ChainChange): void {
    for (const move of moves) {
      if (!move.removed) notify(this.heads, () => headObject(move.header));
      if (!this.logs.isEmpty) this.notifyLogs(move);
    }
  }

  private notifyLogs({ block, receipts, removed, connectedIn }: MovedBlock): void {
    for (const located of blockLogs(block, receipts)) {
      let text: string | undefined;
      for (const subscriber of this.logs.of(located.log)) {
        // A subscriber that was never notified of a block is not notified of its removal.
        if (connectedIn <= subscriber.since) continue;
        text ??= JSON.stringify({ ...locatedLogObject(located), removed });
        subscriber.deliver(message(subscriber, text));
      }
    }
  }

  private notifyPending(hashes: readonly Uint8Array[]): void {
    for (const hash of hashes) notify(this.transactions, () => toData(hash));
  }

  private notifySyncing(status: SyncStatus): void {
    notify(this.syncing, () => syncStatusObject(status));
  }
}

/** Notifies subscribers. The result is built once, and only if there are subscribers. */
function notify(subscribers: ReadonlySet<Subscriber>, result: () => unknown): void {
  if (subscribers.size === 0) return;
  const text = JSON.stringify(result());
  for (const subscriber of subscribers) subscriber.deliver(message(subscriber, text));
}

function message({ head }: Subscriber, result: string): string {
  return `${head}${result}}}`;
}
