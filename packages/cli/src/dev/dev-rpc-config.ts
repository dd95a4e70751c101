import { DEFAULT_RPC_CONFIG, OWN_MACHINE, type RpcConfig } from "@cambium/rpc/config";
import type { DevOptions } from "./dev-flags.js";

/** Milliseconds, and bytes: only one's own tools ask. */
const TIMEOUT = 120_000;
const MAX_BODY = 256 * 2 ** 20;
/** Tests of contracts call functions that no block could contain. */
const CALL_GAS = 50_000_000;

/**
 * JSON-RPC for tools, pages and browser extensions on this machine: all modules, one port, generous limits, and blocks
 * without the reward transaction.
 */
export function devRpcConfig(options: DevOptions): RpcConfig {
  const { http, ws, modules, trace } = DEFAULT_RPC_CONFIG;
  const { "http.host": host, "http.port": port } = options;
  return {
    ...DEFAULT_RPC_CONFIG,
    compatibility: "development",
    http: {
      ...http,
      host,
      port,
      hosts: options["http.hosts"] ?? http.hosts,
      cors: [OWN_MACHINE, ...(options["http.cors"] ?? [])],
      maxBodyBytes: MAX_BODY,
      dashboard: options.dashboard ?? http.dashboard,
    },
    ws: { ...ws, host, port, maxMessageBytes: MAX_BODY },
    timeout: TIMEOUT,
    maxResponseSize: 0,
    callGasCap: CALL_GAS,
    // A fork of this chain reads the bridge by it.
    modules: { ...modules, chain: { ...modules.chain!, disabledMethods: [] } },
    trace: { ...trace, javascript: true },
    skipRemasc: true,
  };
}
