import type { MethodCost } from "@cambium/api";
import { COST_UNITS } from "./cost-units.js";

/** Class of a request or message: a method of some cost, or a notification of a subscription. */
export type UsageClass = MethodCost | "notification";

/** Usage of one class by an API key. */
export interface Usage {
  /** Number of answered requests, or of notifications. */
  requests: number;
  /** Cost units of these requests. */
  units: number;
  /** Bytes of the responses or notifications, before any compression. */
  bytes: number;
  /** Number of responses that were errors. */
  errors: number;
  /** Number of requests that were refused because of the rate limit; no other member counts them. */
  refused: number;
}

export interface UsageRow extends Usage {
  /** Name of the key. */
  key: string;
  class: UsageClass;
}

/** Counts the usage of API keys. */
export interface UsageCounter {
  add(more: UsageRow): void;
}

/** Returns the usage of one response or notification. */
export function answered(key: string, of: UsageClass, bytes: number, isError: boolean): UsageRow {
  const units = of === "notification" ? 0 : COST_UNITS[of];
  return { key, class: of, requests: 1, units, bytes, errors: isError ? 1 : 0, refused: 0 };
}

/** Returns the usage of requests beyond the rate limit. */
export function refused(key: string, of: UsageClass, requests: number): UsageRow {
  return { key, class: of, requests: 0, units: 0, bytes: 0, errors: 0, refused: requests };
}

/** Maximum number of rows in a table: more than all keys and classes of a server. */
const MAX_ROWS = 100_000;

/** Adds up usage by key and class, until it is taken. */
export class UsageTable implements UsageCounter {
  /** Number of requests that found no room. */
  lost = 0;
  private rows = new Map<string, UsageRow>();

  add(more: UsageRow): void {
    const id = `${more.key} ${more.class}`;
    const row = this.rows.get(id);
    if (row !== undefined) {
      row.requests += more.requests;
      row.units += more.units;
      row.bytes += more.bytes;
      row.errors += more.errors;
      row.refused += more.refused;
    } else if (this.rows.size < MAX_ROWS) this.rows.set(id, { ...more });
    else this.lost += more.requests;
  }

  /** Returns all rows since the last call. */
  take(): UsageRow[] {
    const { rows } = this;
    if (rows.size > 0) this.rows = new Map();
    return [...rows.values()];
  }
}
