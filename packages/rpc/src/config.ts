import type { ManagedKey } from "./keys/managed-key.js";

export { isOwnHost, OWN_MACHINE, requiresKeys, servesDashboard } from "./own-host.js";
export { Proxies } from "./proxies.js";

/** Settings of one module (`spec/09 §2.2`). The lists hold full method names. */
export interface ModuleConfig {
  version: string;
  /** `own-machine`: if only programs on this machine can connect, and no API keys are configured. */
  enabled: boolean | "own-machine";
  /** Milliseconds; 0: only the time limit of the whole request applies. */
  timeout: number;
  /** Empty: all methods. */
  enabledMethods: readonly string[];
  disabledMethods: readonly string[];
  /** Milliseconds, by method name without the module prefix. */
  methodTimeouts: Readonly<Record<string, number>>;
}

/** Settings of the HTTP listener (`spec/09 §1.1`, `§1.3`, `§14`). Times in milliseconds, sizes in bytes. */
export interface HttpConfig {
  host: string;
  /** 0 lets the system choose. */
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
  /** Time after which a response of which nothing is read ends the connection. */
  writeTimeout: number;
  /** Time limit for in-flight requests when the server closes. */
  closeTimeout: number;
  /** Whether the web page is served at `/dashboard/`. `own-machine`: as for modules. */
  dashboard: boolean | "own-machine";
}

/** Settings of WebSocket (`spec/09 §1.4`, `§14`). If host and port equal those of HTTP, both share one listener. */
export interface WsConfig {
  enabled: boolean;
  host: string;
  /** 0 lets the system choose. */
  port: number;
  maxMessageBytes: number;
  maxConnections: number;
  /** Milliseconds after which a stalled write ends the connection; 0: no limit. */
  writeTimeout: number;
  /** Bytes that may be queued for one connection; more ends it. */
  maxQueuedBytes: number;
  /** Milliseconds between two pings; 0: no pings. */
  pingInterval: number;
  /** Maximum number of subscriptions on one connection. */
  maxSubscriptions: number;
}

/** Limits over all connections, HTTP and WebSocket together. */
export interface ConnectionConfig {
  /**
   * Connections to one listener from an IPv4 address or an IPv6 network of 64 bits, except this machine; 0: no limit.
   */
  perClient: number;
  /** Bytes of all requests that are not received completely, or not answered yet; 0: no limit. */
  maxUnreadBytes: number;
  /** Bytes of all responses and notifications that are not read yet; 0: no limit. */
  maxUnsentBytes: number;
}

/** API keys. Neither keys nor a Redis server: no authentication (`spec/09 §1.2`). */
export interface AuthConfig {
  /** Accepted keys without limits of their own. */
  keys: readonly string[];
  /** URL of a Redis server with further keys, which can change at any time. */
  redis?: string | undefined;
  /** The keys of that server that are valid now. */
  managed?: readonly ManagedKey[] | undefined;
}

/** Rate limit of each API key that has none of its own, or of each IP address if no keys are configured. */
export interface RateLimitConfig {
  /** Requests in one window, counting every entry of a batch; 0: no limit. */
  requests: number;
  /** Milliseconds. */
  window: number;
  /** URL of a Redis server in which several nodes share their counts; without it, each node counts on its own. */
  redis?: string;
}

/** The behaviours that a node can serve where the API document and the deployed client differ (`spec/09 §17.1`). */
export const COMPATIBILITIES = ["specification", "development", "deployed"] as const;

/**
 * `specification`: exactly the API document. `development`: in addition, what tools of developers expect. `deployed`:
 * in addition, the deployed client's names and its behaviour where it differs.
 */
export type Compatibility = (typeof COMPATIBILITIES)[number];

/** All JSON-RPC settings (`spec/09 §14`). Plain data. */
export interface RpcConfig {
  http: HttpConfig;
  ws: WsConfig;
  connections: ConnectionConfig;
  rateLimit: RateLimitConfig;
  auth: AuthConfig;
  modules: Readonly<Record<string, ModuleConfig>>;
  /** Undefined: `development` on the networks local and dev, `specification` on all others. */
  compatibility?: Compatibility | undefined;
  /** Whether the tags `safe` and `finalized` select blocks by depth; undefined: except in `deployed`. */
  finality?: boolean | undefined;
  maxBatchRequests: number;
  maxDepth: number;
  /** Milliseconds for one HTTP request or batch; 0: no limit. */
  timeout: number;
  /**
   * Polling filters (`spec/09 §9.5`); `expiry` is milliseconds without use, `maxBytes` the memory for all filters and
   * subscriptions.
   */
  filters: { maxFilters: number; expiry: number; maxBytes: number };
  /** Bytes of one response, summed over a batch; 0: no limit. */
  maxResponseSize: number;
  /** Gas limit of one `eth_call`; 0 or less: no limit. */
  callGasCap: number;
  /**
   * Highest gas limit that an estimate tries, besides that of the pending block; 0 or less: no other (`spec/09 §8.3`).
   */
  gasEstimationCap: number;
  /** Whether `eth_call` and `eth_estimateGas` accept state overrides (`spec/09 §8.4`). */
  allowCallStateOverride: boolean;
  /** Whether `v`, `r` and `s` of the reward transaction are `0x0` instead of null (`spec/09 §6.2`). */
  zeroSignatureIfRemasc: boolean;
  /** Whether block objects omit the reward transaction (`spec/09 §6.1`). */
  skipRemasc: boolean;
  logs: {
    /** Maximum number of logs in a response if the range is longer than `unlimitedRange` (`spec/09 §9.3`). */
    maxLogs: number;
    unlimitedRange: number;
    /** Longest range allowed; 0: no limit. */
    maxBlocks: number;
  };
  trace: {
    /** Maximum number of traces that one `trace_filter` returns. */
    maxTraces: number;
    /** Maximum number of cells of a contract for which a step trace lists the initial storage. */
    maxInitialCells: number;
    /** Whether clients may run tracers in JavaScript, in a sandbox. Undefined: no. */
    javascript?: boolean | undefined;
  };
  heavy: HeavyConfig;
  /** Threads that serve the HTTP listener, and read the chain themselves; 0: the main thread serves it. */
  readers: number;
  /**
   * Milliseconds for which an HTTP request waits for the block that it names in `X-Head`; responses name the best one.
   * Undefined: no such headers, for nodes without replicas.
   */
  headWait?: number | undefined;
}

/** Whether WebSocket has only the listener of HTTP (`spec/09 §1.4`). */
export function sharesListener({ http, ws }: RpcConfig): boolean {
  return ws.port !== 0 && ws.port === http.port && ws.host === http.host;
}

/** What can change while a server runs; what is undefined stays unchanged. */
export interface ServingChanges {
  /**
   * Accepted API keys, not none: whether there are any decides which modules are served. Connections with another key
   * are closed.
   */
  apiKeys?: readonly string[] | undefined;
  /** {@link AuthConfig.managed}. Connections with another key are closed. */
  managedKeys?: readonly ManagedKey[] | undefined;
  /** {@link RateLimitConfig.requests}. */
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

/** Settings of an enabled module with all its methods, changed as given. */
export function moduleConfig(changes: Partial<ModuleConfig> = {}): ModuleConfig {
  return { ...MODULE, ...changes };
}

/** Default settings (`spec/09 §14`), the same on every network. */
export const DEFAULT_RPC_CONFIG: RpcConfig = {
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
    sco: moduleConfig({ enabled: "own-machine" }),
    admin: moduleConfig({ enabled: false }),
    txpool: moduleConfig(),
    // Without keys, a miner or a local network, their methods return an error or do not exist.
    personal: moduleConfig(),
    mnr: moduleConfig(),
    evm: moduleConfig(),
    hardhat: moduleConfig(),
    anvil: moduleConfig(),
  },
  maxBatchRequests: 100,
  maxDepth: 100,
  timeout: 5_000,
  filters: { maxFilters: 10_000, expiry: 300_000, maxBytes: 268_435_456 },
  maxResponseSize: 10_485_760,
  callGasCap: 10_000_000,
  gasEstimationCap: 0,
  allowCallStateOverride: true,
  zeroSignatureIfRemasc: true,
  skipRemasc: false,
  logs: { maxLogs: 10_000, unlimitedRange: 2_000, maxBlocks: 0 },
  trace: { maxTraces: 10_000, maxInitialCells: 10_000 },
  heavy: { callThreads: 3, traceThreads: 2, maxWaiting: 128, maxHeap: 512, nodeCacheCapacity: 50_000 },
  readers: 0,
};
