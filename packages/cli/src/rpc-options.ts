import { COMPATIBILITIES } from "@cambium/api/config";
import type { NetworkConfig } from "@cambium/config";
import type { UsageOptions } from "@cambium/node/options";
import { DEFAULT_RPC_CONFIG, Proxies, type RpcConfig } from "@cambium/rpc/config";
import { CliError, invalid, unmet } from "./errors.js";
import {
  choice,
  eitherWay,
  grouped,
  host,
  integer,
  list,
  onByDefault,
  port,
  text,
  toggle,
  type Values,
} from "./flags/flag.js";
import { readText } from "./options.js";
import { streamAddress } from "./replication/replication-options.js";

/** Each takes some 50 MB. */
const MAX_READERS = 64;
/** Milliseconds. */
const SECOND = 1_000;
/** Seconds in a day. */
const DAY = 86_400;

/** Flags for JSON-RPC. */
export const RPC_FLAGS = grouped("JSON-RPC", {
  "http.host": host("listening address of the HTTP server", { default: "127.0.0.1" }),
  "http.port": port("port of the HTTP server; 0 picks a free port", { default: "4444" }),
  "http.hosts": list("names", "host names accepted in the Host header; * for any"),
  "http.proxies": list("addresses", "addresses or networks of proxies, whose X-Forwarded-For names the client"),
  "http.cors": list(
    "origins",
    "origins accepted for cross-origin requests; own-machine for pages of this machine and browser extensions, * for any",
  ),
  dashboard: eitherWay(
    "serve the web page at /dashboard/ (default if only this machine can connect)",
    "do not serve the web page",
  ),
  "ws.host": host("listening address of the WebSocket server (default: the value of --http.host)"),
  "ws.port": port("port of the WebSocket server, next to that of HTTP; 0 picks a free port", { default: "4445" }),
  ws: onByDefault("disable WebSocket, also on the port of HTTP"),
  "rpc.keys": text("file", "file with the accepted API keys, one per line (default: no key is required)"),
  "rpc.limit": integer("requests", "requests a second for each API key or IP address; 0: no limit", { default: "0" }),
  "rpc.redis": text("url", "Redis server for rate limits and API keys shared by several nodes"),
  "rpc.managed-keys": toggle("accept the API keys of node-cli keys in that Redis server, and no requests without one"),
  "rpc.usage": list("servers", "NATS servers with JetStream, nats://host:port, for records of what each API key uses"),
  "rpc.usage.stream": text("name", "name of the stream", { default: "cambium-usage" }),
  "rpc.usage.interval": integer("n", "seconds of usage in one record", { default: "60", min: 1, max: DAY }),
  "rpc.modules": list(
    "names",
    "modules to enable on other addresses than those of this machine, or with API keys: debug,trace,ots,erigon,sco; admin is always disabled without this flag",
  ),
  "rpc.config": text("file", "JSON file with limits, timeouts and settings of modules and methods"),
  "rpc.readers": integer("n", "threads that serve HTTP besides the main thread, on more cores (default: 0)", {
    max: MAX_READERS,
  }),
  "rpc.compatibility": choice(
    "behaviour",
    COMPATIBILITIES,
    "exactly the API document; what tools of developers expect in addition (default on local and dev); or the deployed client's behaviour",
  ),
  "rpc.aliases": choice(
    "state",
    ["on", "off"],
    "whether methods and members of blocks have the deployed ecosystem's names too, rsk_… and bitcoinMergedMining… (default: on, on local and dev for methods only)",
  ),
  "rpc.finality": choice(
    "state",
    ["on", "off"],
    "whether the tags safe and finalized select the blocks 100 and 500 below the best one (default: on, except with --rpc.compatibility deployed)",
  ),
  "rpc.client-version": text("text", "result of web3_clientVersion, for tools that look at the name"),
});

export type RpcFlags = Values<typeof RPC_FLAGS>;

/** The JSON-RPC configuration. Rejects with {@link CliError}. */
export async function rpcConfig(options: RpcFlags): Promise<RpcConfig> {
  const base = await baseRpcConfig(options["rpc.config"]);
  const { http, ws, rateLimit } = base;
  const host = options["http.host"];
  return {
    ...base,
    modules: servedModules(base.modules, options["rpc.modules"]),
    compatibility: options["rpc.compatibility"] ?? base.compatibility,
    readers: options["rpc.readers"] ?? base.readers,
    aliases: isOn(options["rpc.aliases"]) ?? base.aliases,
    finality: isOn(options["rpc.finality"]) ?? base.finality,
    http: {
      ...http,
      host,
      port: options["http.port"],
      hosts: options["http.hosts"] ?? http.hosts,
      proxies: proxies(options["http.proxies"]),
      cors: options["http.cors"] ?? http.cors,
      dashboard: options.dashboard ?? http.dashboard,
    },
    ws: { ...ws, enabled: options.ws, host: options["ws.host"] ?? host, port: options["ws.port"] },
    auth: { keys: options["rpc.keys"] === undefined ? [] : readKeys(options["rpc.keys"]), redis: managedKeys(options) },
    rateLimit: { ...rateLimit, requests: options["rpc.limit"], redis: options["rpc.redis"] },
  };
}

function isOn(state: "on" | "off" | undefined): boolean | undefined {
  return state && state === "on";
}

/** Loads all methods, whose names a file must spell correctly. */
async function baseRpcConfig(path: string | undefined): Promise<RpcConfig> {
  if (path === undefined) return DEFAULT_RPC_CONFIG;
  const { readRpcConfig } = await import("./rpc-config-file.js");
  return readRpcConfig(path);
}

/** Throws {@link CliError} `INVALID_OPTION`. */
function proxies(addresses: readonly string[] = []): readonly string[] {
  if (Proxies.of(addresses) !== undefined) return addresses;
  throw invalid("--http.proxies", addresses.join(" "), "addresses, or networks such as 10.0.0.0/8");
}

/**
 * URL of the Redis server with the API keys; undefined without such keys. Throws {@link CliError} `OPTION_REQUIRES`.
 */
function managedKeys(options: RpcFlags): string | undefined {
  if (!options["rpc.managed-keys"]) return undefined;
  if (options["rpc.redis"] !== undefined) return options["rpc.redis"];
  throw unmet("--rpc.managed-keys", "--rpc.redis");
}

/** An empty file is refused, since a server without keys accepts every request. */
function readKeys(path: string): string[] {
  const keys = readText(path)
    .split(/\s+/)
    .filter((key) => key.length > 0);
  if (keys.length > 0) return keys;
  throw invalid("--rpc.keys", path, "a file with at least one API key");
}

/** The modules of `base`, with those in `names` enabled. Throws {@link CliError} `INVALID_OPTION`. */
function servedModules(base: RpcConfig["modules"], names: readonly string[] = []): RpcConfig["modules"] {
  const modules = { ...base };
  for (const name of names) {
    const module = Object.hasOwn(modules, name) ? modules[name] : undefined;
    if (module === undefined) throw invalid("--rpc.modules", name, `one of ${Object.keys(modules).join(", ")}`);
    modules[name] = { ...module, enabled: true };
  }
  return modules;
}

/** Undefined if usage is not published. Throws {@link CliError} `INVALID_OPTION` or `OPTION_REQUIRES`. */
export function usageOptions(options: RpcFlags, network: NetworkConfig): UsageOptions | undefined {
  const { "rpc.usage": servers, "rpc.usage.stream": stream, "rpc.usage.interval": interval } = options;
  if (servers === undefined) return undefined;
  if (options["rpc.keys"] === undefined && !options["rpc.managed-keys"]) {
    throw unmet("--rpc.usage", "--rpc.keys or --rpc.managed-keys");
  }
  return { ...streamAddress("--rpc.usage", servers, stream, network), interval: interval * SECOND };
}
