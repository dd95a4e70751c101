import { COMPATIBILITIES, type Compatibility } from "@cambium/api/config";
import { isForDevelopment, type NetworkConfig } from "@cambium/config";
import { type MiningOptions, type NodeOptions, networkDefaults } from "@cambium/node/options";
import { fromHex } from "@cambium/primitives";
import { DEFAULT_RPC_CONFIG, isOwnHost, Proxies, type RpcConfig } from "@cambium/rpc/config";
import { type Command, Option } from "commander";
import { CliError } from "./errors.js";
import { parseGasLimit, parseNumber, readText, words } from "./options.js";

/** Flags for JSON-RPC, as commander parses them. */
export interface RpcFlags {
  "http.host": string;
  "http.port": string;
  "http.hosts"?: string;
  "http.proxies"?: string;
  "http.cors"?: string;
  dashboard?: boolean;
  ws: boolean;
  "ws.host"?: string;
  "ws.port": string;
  "rpc.keys"?: string;
  "rpc.limit": string;
  "rpc.redis"?: string;
  "rpc.managedKeys"?: boolean;
  "rpc.usage"?: string;
  "rpc.usage.stream": string;
  "rpc.usage.interval": string;
  "rpc.config"?: string;
  "rpc.readers"?: string;
  "rpc.modules"?: string;
  "rpc.compatibility"?: Compatibility;
  "rpc.finality"?: "on" | "off";
  "rpc.clientVersion"?: string;
}

/** Flags of `start` for JSON-RPC, mining and the wallet, as commander parses them. */
export interface ServingOptions extends RpcFlags {
  mine?: boolean;
  "mine.interval"?: string;
  "miner.server"?: boolean;
  "miner.partners"?: string;
  "miner.address"?: string;
  "miner.minGasPrice"?: string;
  "miner.gasLimit"?: string;
  wallet?: boolean;
  "wallet.allowPublic"?: boolean;
}

/** Adds the flags of {@link RpcFlags} to a command. */
export function addRpcOptions(command: Command): Command {
  return command
    .option("--http.host <host>", "listening address of the HTTP server", "127.0.0.1")
    .option("--http.port <port>", "port of the HTTP server; 0 picks a free port", "4444")
    .option("--http.hosts <names>", "host names accepted in the Host header, separated by spaces; * for any")
    .option(
      "--http.proxies <addresses>",
      "addresses or networks of proxies, whose X-Forwarded-For names the client, separated by spaces",
    )
    .option(
      "--http.cors <origins>",
      "origins accepted for cross-origin requests, separated by spaces; own-machine for pages of this machine and browser extensions, * for any",
    )
    .option("--dashboard", "serve the web page at /dashboard/ (default if only this machine can connect)")
    .option("--no-dashboard", "do not serve the web page")
    .option("--ws.host <host>", "listening address of the WebSocket server (default: the value of --http.host)")
    .option("--ws.port <port>", "port of the WebSocket server, beside that of HTTP; 0 picks a free port", "4445")
    .option("--no-ws", "disable WebSocket, on the port of HTTP too")
    .option("--rpc.keys <file>", "file with the accepted API keys, one per line (default: no key is required)")
    .option("--rpc.limit <requests>", "requests per second for each API key or IP address; 0 for no limit", "0")
    .option("--rpc.redis <url>", "Redis server for rate limits and API keys shared by several nodes")
    .option(
      "--rpc.managed-keys",
      "accept the API keys that node-cli keys has put into that Redis server, and no requests without one",
    )
    .option(
      "--rpc.usage <servers>",
      "NATS servers with JetStream, nats://host:port separated by commas or spaces, to which what each API key uses is published",
    )
    .option("--rpc.usage.stream <name>", "name of the stream", "cambium-usage")
    .option("--rpc.usage.interval <n>", "seconds of usage in one record", "60")
    .option(
      "--rpc.modules <names>",
      "modules to enable on other addresses than those of this machine, or with API keys, separated by commas: debug,trace,sco; admin is always disabled without this flag",
    )
    .option("--rpc.config <file>", "JSON file with limits, timeouts and settings of modules and methods")
    .option(
      "--rpc.readers <n>",
      "threads that serve HTTP beside the main thread, so that requests use more cores (default: 0)",
    )
    .addOption(
      new Option(
        "--rpc.compatibility <behaviour>",
        "exactly the API document; what tools of developers expect in addition (default on local and dev); or the deployed client's names and behaviour",
      ).choices(COMPATIBILITIES),
    )
    .addOption(
      new Option(
        "--rpc.finality <state>",
        "whether the tags safe and finalized select the blocks 100 and 500 below the best one (default: on on local and dev)",
      ).choices(["on", "off"]),
    )
    .option("--rpc.client-version <text>", "result of web3_clientVersion, for tools that look at the name");
}

/** Adds the flags of {@link ServingOptions} to a command. */
export function addServingOptions(command: Command): Command {
  return addRpcOptions(command)
    .option("--mine", "mine a block as soon as a transaction arrives (networks local and dev)")
    .option("--mine.interval <ms>", "mine a block every <ms> milliseconds (networks local and dev)")
    .option("--miner.server", "serve block templates to merged miners (default on the local network)")
    .option(
      "--miner.partners <urls>",
      "JSON-RPC URLs of other nodes of the pool, separated by spaces: they accept solutions of this node's work",
    )
    .option("--miner.address <address>", "address that receives the fees of locally produced blocks")
    .option("--miner.min-gas-price <wei>", "target for the minimum gas price of locally produced blocks")
    .option(
      "--miner.gas-limit <gas>",
      "target for the gas limit of locally produced blocks (default: that of the parent block; local: 7500000, or that of a genesis of your own)",
    )
    .option("--wallet", "enable the wallet, with keys in <data-dir>/keystore (default on local and dev)")
    .option("--wallet.allow-public", "enable the wallet although JSON-RPC listens on an address that others may reach")
    .option("--no-wallet", "disable the wallet");
}

/** Each takes some 50 MB. */
const MAX_READERS = 64;

/** The JSON-RPC configuration. Rejects with {@link CliError}. */
export async function rpcConfig(options: RpcFlags): Promise<RpcConfig> {
  const base = await baseRpcConfig(options["rpc.config"]);
  const { http, ws, rateLimit } = base;
  const host = options["http.host"];
  return {
    ...base,
    modules: servedModules(base.modules, options["rpc.modules"]),
    compatibility: options["rpc.compatibility"] ?? base.compatibility,
    readers:
      options["rpc.readers"] === undefined
        ? base.readers
        : parseNumber("--rpc.readers", options["rpc.readers"], MAX_READERS),
    finality: options["rpc.finality"] === undefined ? base.finality : options["rpc.finality"] === "on",
    http: {
      ...http,
      host,
      port: parseNumber("--http.port", options["http.port"], 65535),
      hosts: words(options["http.hosts"]) ?? http.hosts,
      proxies: proxies(options["http.proxies"]),
      cors: words(options["http.cors"]) ?? http.cors,
      dashboard: options.dashboard ?? http.dashboard,
    },
    ws: {
      ...ws,
      enabled: options.ws,
      host: options["ws.host"] ?? host,
      port: parseNumber("--ws.port", options["ws.port"], 65535),
    },
    auth: {
      keys: options["rpc.keys"] === undefined ? [] : readKeys(options["rpc.keys"]),
      redis: managedKeys(options),
    },
    rateLimit: {
      ...rateLimit,
      requests: parseNumber("--rpc.limit", options["rpc.limit"]),
      redis: options["rpc.redis"],
    },
  };
}

/** Loads all methods, whose names a file must spell correctly. */
async function baseRpcConfig(path: string | undefined): Promise<RpcConfig> {
  if (path === undefined) return DEFAULT_RPC_CONFIG;
  const { readRpcConfig } = await import("./rpc-config-file.js");
  return readRpcConfig(path);
}

/** Throws {@link CliError} `INVALID_OPTION`. */
function proxies(text: string | undefined): string[] {
  const addresses = words(text) ?? [];
  if (Proxies.of(addresses) !== undefined) return addresses;
  const expected = "addresses, or networks such as 10.0.0.0/8";
  throw new CliError({ code: "INVALID_OPTION", option: "--http.proxies", value: text!, expected });
}

/**
 * URL of the Redis server with the API keys; undefined without such keys. Throws {@link CliError} `OPTION_REQUIRES`.
 */
function managedKeys(options: RpcFlags): string | undefined {
  if (!options["rpc.managedKeys"]) return undefined;
  if (options["rpc.redis"] !== undefined) return options["rpc.redis"];
  throw new CliError({ code: "OPTION_REQUIRES", option: "--rpc.managed-keys", requires: "--rpc.redis" });
}

/** An empty file is refused, since a server without keys accepts every request. */
function readKeys(path: string): string[] {
  const keys = words(readText(path))!;
  if (keys.length > 0) return keys;
  const expected = "a file with at least one API key";
  throw new CliError({ code: "INVALID_OPTION", option: "--rpc.keys", value: path, expected });
}

/** The modules of `base`, with those in `names` enabled. Throws {@link CliError} `INVALID_OPTION`. */
function servedModules(base: RpcConfig["modules"], names = ""): RpcConfig["modules"] {
  const modules = { ...base };
  for (const name of names.split(/[\s,]+/).filter((part) => part.length > 0)) {
    const module = Object.hasOwn(modules, name) ? modules[name] : undefined;
    if (module === undefined) {
      const expected = `one of ${Object.keys(modules).join(", ")}`;
      throw new CliError({ code: "INVALID_OPTION", option: "--rpc.modules", value: name, expected });
    }
    modules[name] = { ...module, enabled: true };
  }
  return modules;
}

/**
 * Mining and wallet options over the network's defaults. Throws {@link CliError} `INVALID_OPTION` or `OPTION_REQUIRES`.
 */
export function miningAndWallet(
  options: ServingOptions,
  network: NetworkConfig,
): Pick<NodeOptions, "mining" | "wallet"> {
  const defaults = networkDefaults(network);
  const price = options["miner.minGasPrice"];
  const gasLimit = options["miner.gasLimit"];
  const address = options["miner.address"];
  if (options["miner.server"] && address === undefined && !isForDevelopment(network)) {
    const requires = `--miner.address on network ${network.name}`;
    throw new CliError({ code: "OPTION_REQUIRES", option: "--miner.server", requires });
  }
  return {
    wallet: walletEnabled(options, network),
    mining: {
      ...defaults.mining,
      server: options["miner.server"] ?? defaults.mining.server,
      local: localMining(options, network) ?? defaults.mining.local,
      partners: partners(options["miner.partners"]),
      ...(price === undefined ? {} : { minimumGasPrice: parseWei(price) }),
      ...(gasLimit === undefined ? {} : { gasLimit: BigInt(parseGasLimit("--miner.gas-limit", gasLimit)) }),
      ...(address === undefined ? {} : { rewardAddress: parseAddress(address) }),
    },
  };
}

/** Throws {@link CliError} `INVALID_OPTION`. */
function partners(text: string | undefined): string[] {
  const urls = words(text) ?? [];
  if (urls.every((url) => /^https?:\/\//.test(url) && URL.canParse(url))) return urls;
  const expected = "URLs that begin with http:// or https://";
  throw new CliError({ code: "INVALID_OPTION", option: "--miner.partners", value: text!, expected });
}

/**
 * Whether the node holds keys. Throws {@link CliError} `OPTION_REQUIRES` if every client of a public address could use
 * them; the keys of development networks are known to all, and with API keys the node holds none.
 */
function walletEnabled(options: ServingOptions, network: NetworkConfig): boolean {
  const enabled = options.wallet ?? networkDefaults(network).wallet;
  const hasKeys = options["rpc.keys"] !== undefined || options["rpc.managedKeys"];
  if (!enabled || isForDevelopment(network) || hasKeys) return enabled;
  const hosts = [options["http.host"], ...(options.ws ? [options["ws.host"] ?? options["http.host"]] : [])];
  const open = hosts.find((host) => !isOwnHost(host));
  if (open !== undefined && !options["wallet.allowPublic"]) {
    const requires = "--wallet.allow-public, because every client could use the keys of unlocked accounts";
    throw new CliError({ code: "OPTION_REQUIRES", option: `--wallet with JSON-RPC on ${open}`, requires });
  }
  return enabled;
}

/** Undefined if no mining flag is set. */
function localMining(options: ServingOptions, network: NetworkConfig): MiningOptions["local"] | undefined {
  const interval = options["mine.interval"];
  if (!options.mine && interval === undefined) return undefined;
  const option = interval === undefined ? "--mine" : "--mine.interval";
  if (!isForDevelopment(network)) {
    throw new CliError({ code: "OPTION_REQUIRES", option, requires: "--network local or dev" });
  }
  if (interval === undefined) return { kind: "automatic" };
  const milliseconds = parseNumber(option, interval, 2 ** 31 - 1);
  if (milliseconds === 0) {
    throw new CliError({ code: "INVALID_OPTION", option, value: interval, expected: "at least 1 millisecond" });
  }
  return { kind: "interval", interval: milliseconds };
}

function parseWei(text: string): bigint {
  if (/^\d{1,30}$/.test(text)) return BigInt(text);
  const expected = "a whole number of wei";
  throw new CliError({ code: "INVALID_OPTION", option: "--miner.min-gas-price", value: text, expected });
}

function parseAddress(text: string): Uint8Array {
  if (/^(0x)?[0-9a-fA-F]{40}$/.test(text)) return fromHex(text);
  throw new CliError({ code: "INVALID_OPTION", option: "--miner.address", value: text, expected: "40 hex digits" });
}
