import { setTimeout as delay } from "node:timers/promises";
import { gauge, type Logger } from "@cambium/primitives";
import { KeyStore } from "./key-store.js";
import type { ManagedKey } from "./managed-key.js";

/** Milliseconds between two checks of the version of the keys. */
const INTERVAL = 500;
/** Minimum milliseconds between two log lines about a server that cannot be reached. */
const COMPLAINT_INTERVAL = 60_000;

const REACHABLE = gauge("cambium_rpc_keys_reachable", "1 while the Redis server of API keys answers, otherwise 0");

/**
 * Reads the API keys of a Redis server whenever they change. While the server is unreachable, the last keys stay valid
 * until they expire.
 */
export class KeyFollower {
  private readonly stopped = new AbortController();
  private following: Promise<void> = Promise.resolve();
  private store: KeyStore | undefined;
  private version: string | undefined;
  private keys: readonly ManagedKey[] = [];
  private active: readonly ManagedKey[] = [];
  private isReachable = false;
  private complaint = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly url: string,
    /** Receives the valid keys after each change. */
    private readonly onChange: (keys: readonly ManagedKey[]) => void,
    private readonly logger: Logger,
  ) {}

  /**
   * Resolves when the keys were read, or cannot be read. Rejects with {@link RpcServerError} `INVALID_CONFIGURATION`.
   */
  async open(): Promise<void> {
    this.store = await KeyStore.open(this.url, (error) => this.complain(error));
    await this.look(this.store);
    this.following = this.follow(this.store);
  }

  async close(): Promise<void> {
    this.stopped.abort();
    await this.following;
    this.setReachable(false);
    this.store?.close();
  }

  private async follow(store: KeyStore): Promise<void> {
    const { signal } = this.stopped;
    while (!signal.aborted) {
      await delay(INTERVAL, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.look(store);
    }
  }

  private async look(store: KeyStore): Promise<void> {
    try {
      const version = await store.version();
      if (version !== this.version) await this.read(store, version);
      this.setReachable(true);
    } catch (error) {
      this.setReachable(false);
      this.complain(error as Error);
    }
    this.announce();
  }

  private async read(store: KeyStore, version: string | undefined): Promise<void> {
    // A server that has lost its data proves nothing about the keys.
    if (version === undefined) throw new Error("the server no longer has keys");
    this.keys = await store.list();
    this.version = version;
    this.logger.info({ keys: this.keys.length }, "API keys read");
  }

  private announce(): void {
    const now = Date.now() / 1_000;
    const active = this.keys.filter(({ expires }) => expires === undefined || now < expires);
    if (active.length === this.active.length && active.every((key, i) => key === this.active[i])) return;
    this.active = active;
    this.onChange(active);
  }

  private setReachable(isReachable: boolean): void {
    if (isReachable !== this.isReachable) REACHABLE.add(isReachable ? 1 : -1);
    this.isReachable = isReachable;
  }

  private complain(error: Error): void {
    if (performance.now() - this.complaint < COMPLAINT_INTERVAL) return;
    this.complaint = performance.now();
    this.logger.error(
      { err: error },
      "Cannot read API keys from the Redis server; those that were read before stay valid, new ones are refused",
    );
  }
}
