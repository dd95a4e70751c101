import { type ApiConfig, DEFAULT_API_CONFIG } from "@cambium/api/config";
import type { ManagedKey } from "./keys/managed-key.js";

export { isOwnHost, OWN_MACHINE, requiresKeys, servesDashboard } from "./own-host.js";
export { Proxies } from "./proxies.js";

/** Settings of one module (`spec/09 §2.2`). The lists hold full method names. */
export interface ModuleConfig {
  version: string;
  /**
   * Whether the module is served. `own-machine`: if only programs on this machine can connect, and no API keys are
   * configured.
   */
  enabled: boolean | "own-machine";
  /** Time limit in milliseconds; 0: only the time limit of the whole request applies. */
  timeout: number;
  /** Enabled methods; empty: all methods. */
  enabledMethods: readonly string[];
  disabledMethods: readonly string[];
  /** Time limits in milliseconds, by method name without the module prefix. */
  methodTimeouts: Readonly<Record<string, number>>;
}

/** Settings of the HTTP listener (`spec/09 §1.1`, `§1.3`, `§14`). Times in milliseconds, sizes in bytes. */
export interface HttpConfig {
  host: string;
  /** TCP port; 0 lets the system choose. */
  port: number;
  /** Accepted `Host` names besides `localhost`, the listening host and literal IP addresses; `*` accepts any. */
  hosts: readonly string[];
  /** Addresses and networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` names the client. */
  proxies: readonly string[];
  /**
   * Allowed CORS origins; `*` allows any, {@link OWN_MACHINE} local pages and browser extensions, an empty list none.
   */
  cors: readonly string[];
  maxBodyBytes: number;
  maxConnections: number;
  keepAliveTimeout: number;
  /** Time limit for receiving a complete request, or a message over WebSocket. */
  receiveTimeout: number;
  /** Time after which an unread response ends the connection. */
  writeTimeout: number;
  /** Time limit for in-flight requests when the server closes. */
  closeTimeout: number;
  /** Whether the web page is served at `/dashboard/`. `own-machine` has the same meaning as for modules. */
  dashboard: boolean | "own-machine";
}

/** Settings of WebSocket (`spec/09 §1.4`, `§14`). If host and port equal those of HTTP, both share one listener. */
export interface WsConfig {
  enabled: boolean;
  host: string;
  /** TCP port; 0 lets the system choose. */
  port: number;
  maxMessageBytes: number;
  maxConnections: number;
  /** Milliseconds after which a stalled write ends the connection; 0: no limit. */
  writeTimeout: number;
  /** Maximum number of bytes queued for one connection; more ends it. */
  maxQueuedBytes: number;
  /** Milliseconds between two pings; 0: no pings. */
  pingInterval: number;
  /** Maximum number of subscriptions on one connection. */
  maxSubscriptions: number;
}

/** Limits over all connections, HTTP and WebSocket together. */
export interface ConnectionConfig {
  /**
   * Maximum number of connections to one listener from an IPv4 address or an IPv6 network of 64 bits, except this
   * machine; 0: no limit.
   */
  perClient: number;
  /** Maximum size of all requests that are incomplete or unanswered, in bytes; 0: no limit. */
  maxUnreadBytes: number;
  /** Maximum size of all unread responses and notifications, in bytes; 0: no limit. */
  maxUnsentBytes: number;
}

/** API keys. Neither keys nor a Redis server: no authentication (`spec/09 §1.2`). */
export interface AuthConfig {
  /** Accepted keys without individual limits. */
  keys: readonly string[];
  /** URL of a Redis server with further keys, which can change at any time. */
  redis?: string | undefined;
  /** The currently valid keys of that server. */
  managed?: readonly ManagedKey[] | undefined;
}

/** Rate limit of each API key without an individual limit, or of each IP address if no keys are configured. */
export interface RateLimitConfig {
  /** Maximum number of requests in one window, counting every entry of a batch; 0: no limit. */
  requests: number;
  /** Length of a window in milliseconds. */
  window: number;
  /** URL of a Redis server in which several nodes share their counts; if absent, each node counts separately. */
  redis?: string;
}

/** All JSON-RPC settings (`spec/09 §14`). Plain data. */
export interface RpcConfig extends ApiConfig {
  http: HttpConfig;
  ws: WsConfig;
  connections: ConnectionConfig;
  rateLimit: RateLimitConfig;
  auth: AuthConfig;
  modules: Readonly<Record<string, ModuleConfig>>;
  maxBatchRequests: number;
  maxDepth: number;
  heavy: HeavyConfig;
  /** Number of threads that serve the HTTP listener, and themselves read the chain; 0: the main thread serves it. */
  readers: number;
  /**
   * Milliseconds for which an HTTP request waits for the block that it names in `X-Head`; responses name the best
   * block. Undefined: no such headers, for nodes without replicas.
   */
  headWait?: number | undefined;
}

/** Whether WebSocket uses only the listener of HTTP (`spec/09 §1.4`). */
export function sharesListener({ http, ws }: RpcConfig): boolean {
  return ws.port !== 0 && ws.port === http.port && ws.host === http.host;
}

/** Settings that can change while a server runs; undefined members stay unchanged. */
export interface ServingChanges {
  /**
   * Accepted API keys, at least one: whether there are any determines which modules are served. Connections with
   * another key are closed.
   */
  apiKeys?: readonly string[] | undefined;
  /** Keys of a Redis server, see {@link AuthConfig.managed}. Connections with another key are closed. */
  managedKeys?: readonly ManagedKey[] | undefined;
  /** Rate limit, see {@link RateLimitConfig.requests}. */
  rateLimit?: number | undefined;
}

/** Changes the configuration of a running server. */
export function changeServing(config: RpcConfig, { apiKeys, managedKeys, rateLimit }: ServingChanges): void {
  if (apiKeys !== undefined) config.auth.keys = apiKeys;
  if (managedKeys !== undefined) config.auth.managed = managedKeys;
  if (rateLimit !== undefined) config.rateLimit.requests = rateLimit;
}

/** Worker threads for long-running requests. */
export interface HeavyConfig {
  /** Maximum number of threads for calls, estimates and proofs; further ones start only while all others are busy. */
  callThreads: number;
  /** Maximum number of threads for traces and wide log queries. */
  traceThreads: number;
  /** Maximum number of requests queued for each kind of thread. */
  maxWaiting: number;
  /** Maximum heap of one thread in megabytes. */
  maxHeap: number;
  /** Number of decoded state nodes that each thread caches. */
  nodeCacheCapacity: number;
}

const MODULE: ModuleConfig = {
  version: "1.0",
  enabled: true,
  timeout: 0,
  enabledMethods: [],
  disabledMethods: [],
  methodTimeouts: {},
};

/** Returns settings of an enabled module with all its methods, changed as given. */
export function moduleConfig(changes: Partial<ModuleConfig> = {}): ModuleConfig {
  return { ...MODULE, ...changes };
}

/** Default settings (`spec/09 §14`), the same on every network. */
export const DEFAULT_RPC_CONFIG: RpcConfig = {
  ...DEFAULT_API_CONFIG,
  http: {
    host: "127.0.0.1",
    port: 4444,
    hosts: ["localhost"],
    proxies: [],
    cors: [],
    maxBodyBytes: 5_242_880,
    maxConnections: 1000,
    keepAliveTimeout: 75_000,
    receiveTimeout: 30_000,
    writeTimeout: 30_000,
    closeTimeout: 5_000,
    dashboard: "own-machine",
  },
  ws: {
    enabled: true,
    host: "127.0.0.1",
    port: 4445,
    maxMessageBytes: 5_242_880,
    maxConnections: 1000,
    writeTimeout: 30_000,
    maxQueuedBytes: 16_777_216,
    pingInterval: 30_000,
    maxSubscriptions: 1_000,
  },
  connections: { perClient: 250, maxUnreadBytes: 67_108_864, maxUnsentBytes: 268_435_456 },
  rateLimit: { requests: 0, window: 1_000 },
  auth: { keys: [] },
  modules: {
    eth: moduleConfig(),
    net: moduleConfig(),
    web3: moduleConfig(),
    rpc: moduleConfig(),
    chain: moduleConfig({ disabledMethods: ["chain_getStorageBytesAt"] }),
    debug: moduleConfig({ enabled: "own-machine" }),
    trace: moduleConfig({ enabled: "own-machine" }),
    ots: moduleConfig({ enabled: "own-machine" }),
    erigon: moduleConfig({ enabled: "own-machine" }),
    sco: moduleConfig({ enabled: "own-machine" }),
    admin: moduleConfig({ enabled: false }),
    txpool: moduleConfig(),
    // Methods of these modules return an error or do not exist if the node has no keys, miner or local network.
    personal: moduleConfig(),
    mnr: moduleConfig(),
    evm: moduleConfig(),
    hardhat: moduleConfig(),
    anvil: moduleConfig(),
    dev: moduleConfig(),
  },
  maxBatchRequests: 1_000,
  maxDepth: 100,
  heavy: { callThreads: 3, traceThreads: 2, maxWaiting: 128, maxHeap: 512, nodeCacheCapacity: 50_000 },
  readers: 0,
};
