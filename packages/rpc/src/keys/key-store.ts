import type { Redis } from "ioredis";
import { RpcServerError } from "../errors.js";
import { openRedis } from "../redis.js";
import { type DailyUsage, readUsage } from "../usage/usage-totals.js";
import { type KeyChanges, type ManagedKey, parseKey } from "./managed-key.js";

/** A hash of all keys, as JSON by their names. */
const KEYS = "cambium:keys";
/** A number that each change of the keys increments. */
const VERSION = "cambium:keys:version";

/** Maximum number of keys, because every node has all keys in memory. */
const MAX_KEYS = 10_000;

/** The API keys in a Redis server, for all nodes that use it. */
export class KeyStore {
  private constructor(private readonly client: Redis) {}

  /**
   * Opens the store, even if the server is unreachable. Rejects with {@link RpcServerError} `INVALID_CONFIGURATION`.
   */
  static async open(url: string, onError: (error: Error) => void): Promise<KeyStore> {
    return new KeyStore(await openRedis(url, "auth.redis", onError));
  }

  /** Returns a version that changes with the keys; undefined if the server never had any. */
  async version(): Promise<string | undefined> {
    return (await this.client.get(VERSION)) ?? undefined;
  }

  /** Returns all readable keys, by name. */
  async list(): Promise<ManagedKey[]> {
    const entries = Object.entries(await this.client.hgetall(KEYS));
    const keys = entries.map(([name, text]) => parseKey(name, text)).filter((key) => key !== undefined);
    return keys.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * Adds a key. Rejects with {@link RpcServerError} `KEY_REFUSED` if there is a key with this name, or if there are too
   * many.
   */
  async add(key: ManagedKey): Promise<void> {
    await this.change(key.name, async (present) => {
      if (present !== null) throw refused(`there is a key ${key.name}; revoke it first, or choose another name`);
      if ((await this.client.hlen(KEYS)) >= MAX_KEYS) throw refused(`there are ${MAX_KEYS} keys; revoke some first`);
      return key;
    });
  }

  /** Returns the changed key. Rejects with {@link RpcServerError} `KEY_REFUSED` if there is none with this name. */
  async update(name: string, changes: KeyChanges): Promise<ManagedKey> {
    let changed: ManagedKey | undefined;
    await this.change(name, (present) => {
      const key = present === null ? undefined : parseKey(name, present);
      if (key === undefined) throw unknown(name);
      changed = { ...key, ...changes };
      return changed;
    });
    return changed!;
  }

  /** Revokes a key. Rejects with {@link RpcServerError} `KEY_REFUSED` if there is no key with this name. */
  async revoke(name: string): Promise<void> {
    await this.change(name, (present) => {
      if (present === null) throw unknown(name);
      return undefined;
    });
  }

  /** Returns the usage of keys on the last `days` days. */
  usage(days: number): Promise<DailyUsage[]> {
    return readUsage(this.client, days);
  }

  close(): void {
    this.client.disconnect();
  }

  /** Replaces a key by the result of `next` and changes the version. Rejects if another change comes between. */
  private async change(
    name: string,
    next: (present: string | null) => ManagedKey | undefined | Promise<ManagedKey | undefined>,
  ): Promise<void> {
    const { client } = this;
    await client.watch(KEYS);
    const key = await next(await client.hget(KEYS, name));
    const transaction = client.multi().incr(VERSION);
    if (key === undefined) transaction.hdel(KEYS, name);
    else transaction.hset(KEYS, name, JSON.stringify({ ...key, name: undefined }));
    const done = await transaction.exec();
    if (done === null) throw refused("the keys were changed at the same time; run the command again");
  }
}

function unknown(name: string): RpcServerError {
  return refused(`there is no key ${name}; "node-cli keys list" shows all`);
}

function refused(reason: string): RpcServerError {
  return new RpcServerError({ code: "KEY_REFUSED", reason });
}
