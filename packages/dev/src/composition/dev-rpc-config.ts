import { DEFAULT_RPC_CONFIG, OWN_MACHINE, type RpcConfig } from "@cambium/rpc/config";

/** Address of JSON-RPC, and the clients that it accepts. */
export interface DevListening {
  host: string;
  /** 0 lets the system choose. */
  port: number;
  /** Names of this machine, and origins of web pages besides its own; undefined: the default ones. */
  hosts?: readonly string[] | undefined;
  origins?: readonly string[] | undefined;
  dashboard?: boolean | "own-machine" | undefined;
}

/** Limits in milliseconds and bytes: only the developer's own tools send requests. */
const TIMEOUT = 120_000;
const MAX_BODY = 256 * 2 ** 20;
/** Tests of contracts call functions that no block could contain. */
const CALL_GAS = 50_000_000;
/** Tools put all calls of a page or a test into one batch. */
const MAX_BATCH = 100_000;

/**
 * Configures JSON-RPC for tools, pages and browser extensions on this machine: all modules, one port, generous limits,
 * and blocks without the reward transaction.
 */
export function devRpcConfig({ host, port, hosts, origins = [], dashboard }: DevListening): RpcConfig {
  const { http, ws, modules, trace } = DEFAULT_RPC_CONFIG;
  return {
    ...DEFAULT_RPC_CONFIG,
    compatibility: "development",
    http: {
      ...http,
      host,
      port,
      hosts: hosts ?? http.hosts,
      cors: [OWN_MACHINE, ...origins],
      maxBodyBytes: MAX_BODY,
      dashboard: dashboard ?? http.dashboard,
    },
    ws: { ...ws, host, port, maxMessageBytes: MAX_BODY },
    timeout: TIMEOUT,
    maxResponseSize: 0,
    maxBatchRequests: MAX_BATCH,
    callGasCap: CALL_GAS,
    // A fork of this chain reads the bridge by it.
    modules: { ...modules, chain: { ...modules.chain!, disabledMethods: [] } },
    trace: { ...trace, javascript: true },
    skipRemasc: true,
  };
}
