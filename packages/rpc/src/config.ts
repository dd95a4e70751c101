/** One module's switches: `spec/09 §2.2`. Method names in the lists are full names. */
export interface ModuleConfig {
  version: string;
  enabled: boolean;
  /** Milliseconds; 0 is no limit besides that of the whole request. */
  timeout: number;
  /** Empty is all. */
  enabledMethods: readonly string[];
  disabledMethods: readonly string[];
  /** Milliseconds by method name without the module prefix. */
  methodTimeouts: Readonly<Record<string, number>>;
}

/** The HTTP listener: `spec/09 §1.1`, `§1.3`, `§14`. Times in milliseconds, sizes in bytes. */
export interface HttpConfig {
  host: string;
  /** 0 lets the system choose. */
  port: number;
  /** Host names a request may be addressed to, besides `localhost`, the listening host and literal addresses; `*` is any. */
  hosts: readonly string[];
  /** Origins of web pages that may call; `*` is any, empty is none. */
  cors: readonly string[];
  maxBodyBytes: number;
  maxConnections: number;
  keepAliveTimeout: number;
  /** For a request to arrive completely. */
  receiveTimeout: number;
  /** For requests under way when the server closes. */
  closeTimeout: number;
}

/** The WebSocket listener: `spec/09 §1.4`, `§14`. With host and port of the HTTP listener it is served by that one. */
export interface WsConfig {
  enabled: boolean;
  host: string;
  /** 0 lets the system choose. */
  port: number;
  maxMessageBytes: number;
  maxConnections: number;
  /** For unsent data to make progress; 0 is no limit. */
  writeTimeout: number;
  /** Bytes that may wait to be sent on one connection; more ends it. */
  maxQueuedBytes: number;
  /** Between two pings; 0 is none. */
  pingInterval: number;
  /** On one connection. */
  maxSubscriptions: number;
}

/** How much one API key, or one address where there are no keys, may ask. */
export interface RateLimitConfig {
  /** Requests in one window, entries of batches counted each; 0 is no limit. */
  requests: number;
  /** Milliseconds. */
  window: number;
  /** Address of a Redis server that several nodes count in together; none: each counts for itself. */
  redis?: string;
}

/** Everything an operator can set about JSON-RPC: `spec/09 §14`. Plain data. */
export interface RpcConfig {
  http: HttpConfig;
  ws: WsConfig;
  rateLimit: RateLimitConfig;
  /** Empty is no authentication (`spec/09 §1.2`). */
  auth: { keys: readonly string[] };
  modules: Readonly<Record<string, ModuleConfig>>;
  /** Also serve the deployed ecosystem's names, see `aliases.ts`. */
  deployedNames: boolean;
  maxBatchRequests: number;
  maxDepth: number;
  /** Milliseconds for one HTTP request, a batch included; 0 is no limit. */
  timeout: number;
  /** Polling filters (`spec/09 §9.5`); `expiry` is milliseconds without use. */
  filters: { maxFilters: number; expiry: number };
  /** Bytes of one answer, summed over a batch; 0 is no limit. */
  maxResponseSize: number;
  /** Gas of one `eth_call`; 0 or less is no limit. */
  callGasCap: number;
  /** Gas up to which an estimate goes; 0 or less is the block's limit. */
  gasEstimationCap: number;
  /** Whether `eth_call` and `eth_estimateGas` accept changed accounts (00, Simulation, 4). */
  allowCallStateOverride: boolean;
  /** Whether the reward transaction shows `v`, `r`, `s` as `0x0`; otherwise as null (`spec/09 §6.2`). */
  zeroSignatureIfRemasc: boolean;
  /** Whether blocks are shown without their reward transaction (`spec/09 §6.1`). */
  skipRemasc: boolean;
  logs: {
    /** Logs one answer may hold when its range is longer than `unlimitedRange` (00, Limits). */
    maxLogs: number;
    unlimitedRange: number;
    /** Longest range at all; 0 is any. */
    maxBlocks: number;
  };
  trace: {
    /** Most traces one `trace_filter` answers. */
    maxTraces: number;
    /** Cells of a contract that a step trace lists as its storage before. */
    maxInitialCells: number;
  };
  heavy: HeavyConfig;
}

/** Threads for what takes long. */
export interface HeavyConfig {
  /** Most threads for calls, estimates and proofs; all but the first start only when others are at long tasks. */
  callThreads: number;
  /** Most threads for traces and wide log queries. */
  traceThreads: number;
  /** Requests that may wait for a thread of one kind. */
  maxWaiting: number;
  /** Heap of one thread, in megabytes. */
  maxHeap: number;
  /** Decoded state nodes that one thread keeps. */
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

/** A module that is on with all its methods, or with the given differences. */
export function moduleConfig(changes: Partial<ModuleConfig> = {}): ModuleConfig {
  return { ...MODULE, ...changes };
}

/** The product's defaults (`spec/09 §14`), the same on every network. */
export const DEFAULT_RPC_CONFIG: RpcConfig = {
  http: {
    host: "127.0.0.1",
    port: 4444,
    hosts: ["localhost"],
    cors: [],
    maxBodyBytes: 5_242_880,
    maxConnections: 1000,
    keepAliveTimeout: 75_000,
    receiveTimeout: 30_000,
    closeTimeout: 5_000,
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
  rateLimit: { requests: 0, window: 1_000 },
  auth: { keys: [] },
  modules: {
    eth: moduleConfig(),
    net: moduleConfig(),
    web3: moduleConfig(),
    rpc: moduleConfig(),
    chain: moduleConfig({ disabledMethods: ["chain_getStorageBytesAt"] }),
    debug: moduleConfig({ enabled: false }),
    trace: moduleConfig({ enabled: false }),
    sco: moduleConfig({ enabled: false }),
    txpool: moduleConfig(),
    // without keys, a miner or a local network, their methods say so or do not exist
    personal: moduleConfig(),
    mnr: moduleConfig(),
    evm: moduleConfig(),
  },
  deployedNames: false,
  maxBatchRequests: 100,
  maxDepth: 100,
  timeout: 5_000,
  filters: { maxFilters: 10_000, expiry: 300_000 },
  maxResponseSize: 10_485_760,
  callGasCap: 10_000_000,
  gasEstimationCap: 6_800_000,
  allowCallStateOverride: true,
  zeroSignatureIfRemasc: true,
  skipRemasc: false,
  logs: { maxLogs: 10_000, unlimitedRange: 2_000, maxBlocks: 0 },
  trace: { maxTraces: 10_000, maxInitialCells: 10_000 },
  heavy: { callThreads: 3, traceThreads: 2, maxWaiting: 128, maxHeap: 512, nodeCacheCapacity: 50_000 },
};
