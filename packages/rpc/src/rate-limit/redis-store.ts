import type { Redis } from "ioredis";
import { openRedis } from "../redis.js";
import type { RateLimitStore } from "./rate-limit-store.js";

const PREFIX = "cambium:rate:";

/** Counts that several nodes share in a Redis server; a key expires with its window. */
export class RedisStore implements RateLimitStore {
  private constructor(
    private readonly client: Redis,
    private readonly windowMilliseconds: number,
  ) {}

  /**
   * Opens the store. Rejects with {@link RpcServerError} `INVALID_CONFIGURATION` if the optional Redis client is not
   * installed.
   */
  static async open(url: string, windowMilliseconds: number, onError: (error: Error) => void): Promise<RedisStore> {
    return new RedisStore(await openRedis(url, "rateLimit.redis", onError), windowMilliseconds);
  }

  async add(identity: string, requests: number, window: number): Promise<number> {
    const key = `${PREFIX}${identity}:${window}`;
    const sum = await this.client.incrby(key, requests);
    if (sum === requests) await this.client.pexpire(key, 2 * this.windowMilliseconds);
    return sum;
  }

  async close(): Promise<void> {
    this.client.disconnect();
  }
}
