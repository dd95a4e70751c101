import { toHex } from "@cambium/primitives";
import type { Log } from "@cambium/types";
import { type LogMatch, matchesLog } from "../logs/log-filter.js";

interface LogSubscriber {
  readonly match: LogMatch;
}

/** Log subscribers, indexed by contract address: there may be thousands, each subscribed to a different contract. */
export class LogSubscribers<T extends LogSubscriber> {
  private readonly byAddress = new Map<string, Set<T>>();
  private readonly ofAnyAddress = new Set<T>();

  add(subscriber: T): void {
    for (const group of this.groupsOf(subscriber)) group.add(subscriber);
  }

  delete(subscriber: T): void {
    this.ofAnyAddress.delete(subscriber);
    for (const key of addressKeys(subscriber)) {
      const group = this.byAddress.get(key);
      group?.delete(subscriber);
      if (group?.size === 0) this.byAddress.delete(key);
    }
  }

  get isEmpty(): boolean {
    return this.ofAnyAddress.size === 0 && this.byAddress.size === 0;
  }

  *of(log: Log): Generator<T> {
    for (const group of [this.byAddress.get(toHex(log.address)), this.ofAnyAddress]) {
      if (group === undefined) continue;
      for (const subscriber of group) if (matchesLog(subscriber.match, log)) yield subscriber;
    }
  }

  private groupsOf(subscriber: T): Set<T>[] {
    if (subscriber.match.addresses === undefined) return [this.ofAnyAddress];
    return addressKeys(subscriber).map((key) => {
      let group = this.byAddress.get(key);
      if (group === undefined) this.byAddress.set(key, (group = new Set()));
      return group;
    });
  }
}

function addressKeys({ match }: LogSubscriber): string[] {
  return (match.addresses ?? []).map(toHex);
}
