import type { Redis } from "ioredis";
import { RpcError } from "../errors.js";
import type { RateLimitStore } from "./rate-limit-store.js";

const PREFIX = "cambium:rate:";
const COMMAND_TIMEOUT_MILLISECONDS = 500;

/** Counts that several nodes share in a Redis server; a key expires with its window. */
export class RedisStore implements RateLimitStore {
  private constructor(
    private readonly client: Redis,
    private readonly windowMilliseconds: number,
  ) {}

  /** Loads the optional Redis client. Rejects with {@link RpcError} `INVALID_CONFIGURATION` if it is not installed. */
  static async open(url: string, windowMilliseconds: number, onError: (error: Error) => void): Promise<RedisStore> {
    const { Redis } = await import("ioredis").catch((error: Error) => {
      const reason = `cannot load the package ioredis: ${error.message}`;
      throw new RpcError({ code: "INVALID_CONFIGURATION", option: "rateLimit.redis", reason }, { cause: error });
    });
    // Commands fail at once while the server is unreachable, so that requests do not wait for it.
    const client = new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: COMMAND_TIMEOUT_MILLISECONDS,
      lazyConnect: true,
    });
    client.on("error", onError);
    await client.connect().catch(onError);
    return new RedisStore(client, windowMilliseconds);
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
