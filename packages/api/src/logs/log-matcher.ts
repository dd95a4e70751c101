import { toHex } from "@cambium/primitives";
import type { Log } from "@cambium/types";
import type { LogMatch } from "./log-filter.js";

/** Address and topics of a log as lower-case hex, computed once for all filters. */
export interface LogKeys {
  address: string;
  topics: readonly string[];
}

export function keysOf({ address, topics }: Log): LogKeys {
  return { address: toHex(address), topics: topics.map(toHex) };
}

/** A log filter in sets: the cost of a match does not depend on their sizes. */
export class LogMatcher {
  /** Lower-case hex; undefined and null match anything. */
  readonly addresses: ReadonlySet<string> | undefined;
  readonly topics: readonly (ReadonlySet<string> | null)[];

  constructor({ addresses, topics }: LogMatch) {
    this.addresses = addresses && new Set(addresses.map(toHex));
    this.topics = topics.map((alternatives) => alternatives && new Set(alternatives.map(toHex)));
  }

  /** Whether a log matches (`spec/09 §9.1`): a null position needs no topic, and further topics are ignored. */
  matches({ address, topics }: LogKeys): boolean {
    if (this.addresses !== undefined && !this.addresses.has(address)) return false;
    return this.topics.every((alternatives, i) => {
      return alternatives === null || (i < topics.length && alternatives.has(topics[i]!));
    });
  }
}
