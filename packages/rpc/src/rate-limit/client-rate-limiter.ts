import type { Logger } from "@cambium/primitives";
import type { RateLimitConfig } from "../config.js";
import type { KeyedClient } from "../keys/keyed-client.js";
import { MemoryRateLimitStore } from "./memory-store.js";
import type { RateLimitStore } from "./rate-limit-store.js";
import { RedisStore } from "./redis-store.js";

/** Minimum time between two log lines about a failing store. */
const STORE_LOG_INTERVAL_MILLISECONDS = 60_000;
const SECOND = 1_000;

/**
 * Counts requests of one identity, or their cost units, of which `charged` are already counted. Returns 0, or the
 * milliseconds that it must wait.
 */
export type RequestAdmission = (requests: number, charged?: number) => number | Promise<number>;

/**
 * Limits the requests of each identity in a window. While the shared store is unavailable, it counts in this process.
 */
export class ClientRateLimiter {
  private readonly memory = new MemoryRateLimitStore();
  private complaint = Number.NEGATIVE_INFINITY;

  constructor(
    /** Configuration, whose limit may change. */
    private readonly config: RateLimitConfig,
    private readonly logger: Logger,
    /** Clock in milliseconds, replaced in tests. */
    private readonly now: () => number = Date.now,
    /** Counts for several processes or threads. */
    private shared?: RateLimitStore,
  ) {}

  /** Connects to the shared store if one is configured. Rejects with {@link RpcServerError} `INVALID_CONFIGURATION`. */
  async open(): Promise<void> {
    const { window, redis } = this.config;
    if (redis) this.shared = await RedisStore.open(redis, window, (error) => this.complain(error));
  }

  async close(): Promise<void> {
    await this.shared?.close();
  }

  /** Returns the rate limit of a client; undefined if its requests are not limited. */
  admission({ identity, key }: Pick<KeyedClient, "identity" | "key">): RequestAdmission | undefined {
    const { window } = this.config;
    const limit = key?.limit === undefined ? this.config.requests : Math.ceil((key.limit.amount * window) / SECOND);
    return limit > 0 ? (requests, charged = 0) => this.take(identity, limit, requests, charged) : undefined;
  }

  private take(identity: string, limit: number, requests: number, charged: number): number | Promise<number> {
    const { window: length } = this.config;
    const now = this.now();
    const window = Math.floor(now / length);
    const wait = (window + 1) * length - now;
    // A batch larger than the limit uses a whole window.
    const cost = Math.min(requests, limit) - Math.min(charged, limit);
    const sum = this.add(identity, cost, window);
    const answer = (counted: number) => (counted > limit ? wait : 0);
    return sum instanceof Promise ? sum.then(answer) : answer(sum);
  }

  /** Adds to the count of an identity in a window and returns the sum. */
  add(identity: string, requests: number, window: number): number | Promise<number> {
    if (this.shared === undefined) return this.memory.add(identity, requests, window);
    return this.addShared(this.shared, identity, requests, window);
  }

  private async addShared(store: RateLimitStore, identity: string, cost: number, window: number): Promise<number> {
    try {
      return await store.add(identity, cost, window);
    } catch (error) {
      this.complain(error as Error);
      return this.memory.add(identity, cost, window);
    }
  }

  private complain(error: Error): void {
    if (performance.now() - this.complaint < STORE_LOG_INTERVAL_MILLISECONDS) return;
    this.complaint = performance.now();
    this.logger.error(
      { err: error },
      "Cannot reach the Redis server of rate limits; counting requests in this process until it responds",
    );
  }
}
