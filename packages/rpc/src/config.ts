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

/** Everything an operator can set about JSON-RPC: `spec/09 §14`. Plain data. */
export interface RpcConfig {
  http: HttpConfig;
  /** Empty is no authentication (`spec/09 §1.2`). */
  auth: { keys: readonly string[] };
  modules: Readonly<Record<string, ModuleConfig>>;
  /** Also serve the deployed ecosystem's names, see `aliases.ts`. */
  deployedNames: boolean;
  maxBatchRequests: number;
  maxDepth: number;
  /** Milliseconds for one HTTP request, a batch included; 0 is no limit. */
  timeout: number;
  /** Bytes of one answer, summed over a batch; 0 is no limit. */
  maxResponseSize: number;
  /** Gas of one `eth_call`; 0 or less is no limit. */
  callGasCap: number;
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
  auth: { keys: [] },
  modules: {
    eth: moduleConfig(),
    net: moduleConfig(),
    web3: moduleConfig(),
    rpc: moduleConfig(),
    chain: moduleConfig(),
    txpool: moduleConfig(),
  },
  deployedNames: false,
  maxBatchRequests: 100,
  maxDepth: 100,
  timeout: 5_000,
  maxResponseSize: 10_485_760,
  callGasCap: 10_000_000,
  zeroSignatureIfRemasc: true,
  skipRemasc: false,
  logs: { maxLogs: 10_000, unlimitedRange: 2_000, maxBlocks: 0 },
};
