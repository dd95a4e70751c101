import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "@cambium/primitives";
import { append } from "@cambium/primitives";
import type { Redis } from "ioredis";
import { openRedis } from "../redis.js";
import type { Usage, UsageTable } from "./usage-table.js";

/** Prefix of a hash for each day (UTC), with fields `<key> <measure>`. */
const PREFIX = "cambium:usage:";
/** Milliseconds between two reports of a node, and seconds for which a day is kept. */
const INTERVAL = 5_000;
const LIFETIME = 40 * 86_400;

const MEASURES = ["requests", "units", "bytes", "errors", "refused"] as const;

/** Usage of a key on a day, over all nodes. */
export interface DailyUsage extends Usage {
  /** Day in UTC, such as `2026-11-24`. */
  day: string;
  key: string;
}

/**
 * Adds the usage of API keys to daily totals in Redis, for the operator. Failed additions are repeated later; after a
 * lost answer, some usage may be counted twice.
 */
export class UsageTotals {
  private readonly stopped = new AbortController();
  private reporting: Promise<void> = Promise.resolve();

  constructor(
    private readonly url: string,
    private readonly table: UsageTable,
    private readonly logger: Logger,
  ) {}

  /** Opens the client. Rejects with {@link RpcServerError} `INVALID_CONFIGURATION`. */
  async open(): Promise<void> {
    // The follower of the keys logs that the server is unreachable.
    const client = await openRedis(this.url, "auth.redis", (err) => this.logger.debug({ err }, "Redis is away"));
    this.reporting = this.report(client);
  }

  /** Reports the remaining usage. */
  async close(): Promise<void> {
    this.stopped.abort();
    await this.reporting;
  }

  private async report(client: Redis): Promise<void> {
    const { signal } = this.stopped;
    while (!signal.aborted) {
      await delay(INTERVAL, undefined, { signal }).catch(() => undefined);
      await this.addTo(client);
    }
    client.disconnect();
  }

  private async addTo(client: Redis): Promise<void> {
    const rows = this.table.take();
    if (rows.length === 0) return;
    const day = PREFIX + dayOf(Date.now());
    const transaction = client.multi();
    for (const row of rows) {
      for (const measure of MEASURES) {
        if (row[measure] > 0) transaction.hincrby(day, `${row.key} ${measure}`, row[measure]);
      }
    }
    try {
      await transaction.expire(day, LIFETIME).exec();
    } catch (err) {
      this.logger.debug({ err }, "Usage could not be added to the totals in Redis");
      for (const row of rows) this.table.add(row);
    }
  }
}

/** Returns the totals of the last `days` days, by day and key. Rejects if the server is unreachable. */
export async function readUsage(client: Redis, days: number): Promise<DailyUsage[]> {
  const now = Date.now();
  const found: DailyUsage[] = [];
  for (let ago = days - 1; ago >= 0; ago--) {
    const day = dayOf(now - ago * 86_400_000);
    const byKey = new Map<string, DailyUsage>();
    for (const [field, count] of Object.entries(await client.hgetall(PREFIX + day))) {
      const [key = "", measure] = field.split(" ");
      const none = { day, key, requests: 0, units: 0, bytes: 0, errors: 0, refused: 0 };
      byKey.set(key, { ...(byKey.get(key) ?? none), [measure!]: Number(count) });
    }
    append(
      found,
      [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1)),
    );
  }
  return found;
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
