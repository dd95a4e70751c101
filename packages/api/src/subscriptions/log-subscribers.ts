import type { LogKeys, LogMatcher } from "../logs/log-matcher.js";

interface LogSubscriber {
  readonly matcher: LogMatcher;
}

/**
 * Log subscribers by the addresses that they select, or else by the topics at the first position where they select any.
 * A log is compared only with the subscribers of its address and topics, not with thousands of others.
 */
export class LogSubscribers<T extends LogSubscriber> {
  private readonly groups = new Map<string, Set<T>>();

  get isEmpty(): boolean {
    return this.groups.size === 0;
  }

  add(subscriber: T): void {
    for (const key of groupsOf(subscriber.matcher)) {
      const group = this.groups.get(key);
      if (group === undefined) this.groups.set(key, new Set([subscriber]));
      else group.add(subscriber);
    }
  }

  delete(subscriber: T): void {
    for (const key of groupsOf(subscriber.matcher)) {
      const group = this.groups.get(key);
      group?.delete(subscriber);
      if (group?.size === 0) this.groups.delete(key);
    }
  }

  /** Yields the subscribers that may select a log; no other subscriber does. */
  *candidates({ address, topics }: LogKeys): Generator<T> {
    yield* this.groups.get(address) ?? [];
    for (const [position, topic] of topics.entries()) yield* this.groups.get(topicKey(position, topic)) ?? [];
    yield* this.groups.get(ANY) ?? [];
  }
}

const ANY = "";

function topicKey(position: number, topic: string): string {
  return `${position} ${topic}`;
}

function groupsOf({ addresses, topics }: LogMatcher): Iterable<string> {
  if (addresses !== undefined) return addresses;
  const position = topics.findIndex((alternatives) => alternatives !== null);
  return position < 0 ? [ANY] : [...topics[position]!].map((topic) => topicKey(position, topic));
}
