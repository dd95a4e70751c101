import type { NetworkConfig } from "@cambium/config";
import { isForDevelopment, type MiningOptions, type NodeOptions, networkDefaults } from "@cambium/node";
import { fromHex } from "@cambium/primitives";
import { DEFAULT_RPC_CONFIG, type RpcConfig } from "@cambium/rpc";
import type { Command } from "commander";
import { CliError } from "./errors.js";
import { parseNumber, readText } from "./options.js";
import { readRpcConfig } from "./rpc-config-file.js";

/** What `start` is given besides network and data folder, as the command line has it. */
export interface ServingOptions {
  "http.host": string;
  "http.port": string;
  "http.hosts"?: string;
  "http.cors"?: string;
  ws: boolean;
  "ws.host"?: string;
  "ws.port": string;
  "rpc.keys"?: string;
  "rpc.limit": string;
  "rpc.redis"?: string;
  mine?: boolean;
  "mine.interval"?: string;
  "miner.server"?: boolean;
  "miner.address"?: string;
  "miner.minGasPrice"?: string;
  wallet?: boolean;
  "rpc.config"?: string;
  "rpc.modules"?: string;
  "rpc.deployedNames"?: boolean;
}

/** Adds them to a command. */
export function addServingOptions(command: Command): Command {
  return command
    .option("--http.host <host>", "address to listen on", "127.0.0.1")
    .option("--http.port <port>", "port for HTTP; 0 lets the system choose", "4444")
    .option("--http.hosts <names>", "host names that requests may be addressed to, separated by spaces; * is any")
    .option("--http.cors <origins>", "origins of web pages that may call, separated by spaces; * is any")
    .option("--ws.host <host>", "address to listen on for WebSocket (default: that of HTTP)")
    .option("--ws.port <port>", "port for WebSocket; 0 lets the system choose", "4445")
    .option("--no-ws", "do not serve WebSocket")
    .option("--rpc.keys <file>", "file with the API keys that are served, one a line (default: no keys are needed)")
    .option("--rpc.limit <requests>", "requests a second for each API key, or address; 0 is no limit", "0")
    .option("--rpc.redis <url>", "Redis server in which several nodes count requests together")
    .option("--rpc.modules <names>", "modules to serve besides the usual ones, separated by commas: debug,trace,sco")
    .option("--rpc.config <file>", "JSON file with limits, time-outs and switches of modules and methods")
    .option("--rpc.deployed-names", "also serve the deployed ecosystem's names: rsk_*, mnr_submitBitcoinBlock…")
    .option("--mine", "mine every transaction at once (networks local and dev)")
    .option("--mine.interval <ms>", "mine a block every so many milliseconds (networks local and dev)")
    .option("--miner.server", "give out work for merged mining (default on the local network)")
    .option("--miner.address <address>", "who gets the fees of blocks made here")
    .option("--miner.min-gas-price <wei>", "where the minimum gas price of blocks made here goes")
    .option("--wallet", "hold keys in <data-dir>/keystore (default on local and dev)")
    .option("--no-wallet", "hold no keys");
}

/** What is served to whom. Throws {@link CliError}. */
export function rpcConfig(options: ServingOptions): RpcConfig {
  const base = options["rpc.config"] === undefined ? DEFAULT_RPC_CONFIG : readRpcConfig(options["rpc.config"]);
  const { http, ws, rateLimit } = base;
  const host = options["http.host"];
  return {
    ...base,
    modules: servedModules(base.modules, options["rpc.modules"]),
    deployedNames: options["rpc.deployedNames"] ?? base.deployedNames,
    http: {
      ...http,
      host,
      port: parseNumber("--http.port", options["http.port"], 65535),
      hosts: words(options["http.hosts"]) ?? http.hosts,
      cors: words(options["http.cors"]) ?? http.cors,
    },
    ws: {
      ...ws,
      enabled: options.ws,
      host: options["ws.host"] ?? host,
      port: parseNumber("--ws.port", options["ws.port"], 65535),
    },
    auth: { keys: options["rpc.keys"] === undefined ? [] : readKeys(options["rpc.keys"]) },
    rateLimit: {
      ...rateLimit,
      requests: parseNumber("--rpc.limit", options["rpc.limit"]),
      redis: options["rpc.redis"],
    },
  };
}

function words(text: string | undefined): string[] | undefined {
  return text?.split(/\s+/).filter((word) => word.length > 0);
}

/** A file without any key would open the service to everybody: that is refused. */
function readKeys(path: string): string[] {
  const keys = words(readText(path))!;
  if (keys.length > 0) return keys;
  throw new CliError({ code: "INVALID_OPTION", option: "--rpc.keys", expected: "a file with at least one key" });
}

/** The usual modules, and those that an operator turns on. Throws {@link CliError} `INVALID_OPTION`. */
function servedModules(usual: RpcConfig["modules"], names = ""): RpcConfig["modules"] {
  const modules = { ...usual };
  for (const name of names.split(",").filter((part) => part.length > 0)) {
    const module = Object.hasOwn(modules, name) ? modules[name] : undefined;
    if (module === undefined) {
      throw new CliError({
        code: "INVALID_OPTION",
        option: "--rpc.modules",
        expected: Object.keys(modules).join(", "),
      });
    }
    modules[name] = { ...module, enabled: true };
  }
  return modules;
}

/** Mining and keys: the network's defaults, and what the operator says. Throws {@link CliError} `INVALID_OPTION`. */
export function ownBlocks(options: ServingOptions, network: NetworkConfig): Pick<NodeOptions, "mining" | "wallet"> {
  const defaults = networkDefaults(network);
  const price = options["miner.minGasPrice"];
  const address = options["miner.address"];
  if (options["miner.server"] && address === undefined && !isForDevelopment(network)) {
    throw new CliError({ code: "INVALID_OPTION", option: "--miner.server", expected: "--miner.address with it" });
  }
  return {
    wallet: options.wallet ?? defaults.wallet,
    mining: {
      ...defaults.mining,
      server: options["miner.server"] ?? defaults.mining.server,
      local: localMining(options, network) ?? defaults.mining.local,
      ...(price === undefined ? {} : { minimumGasPrice: parseWei(price) }),
      ...(address === undefined ? {} : { rewardAddress: parseAddress(address) }),
    },
  };
}

/** Undefined where nothing is asked for. */
function localMining(options: ServingOptions, network: NetworkConfig): MiningOptions["local"] | undefined {
  const interval = options["mine.interval"];
  if (!options.mine && interval === undefined) return undefined;
  const option = interval === undefined ? "--mine" : "--mine.interval";
  if (!isForDevelopment(network))
    throw new CliError({ code: "INVALID_OPTION", option, expected: "the network local or dev" });
  if (interval === undefined) return { kind: "automatic" };
  const milliseconds = parseNumber(option, interval, 2 ** 31 - 1);
  if (milliseconds === 0) throw new CliError({ code: "INVALID_OPTION", option, expected: "at least 1" });
  return { kind: "interval", interval: milliseconds };
}

function parseWei(text: string): bigint {
  if (/^\d{1,30}$/.test(text)) return BigInt(text);
  const expected = "a whole number of wei";
  throw new CliError({ code: "INVALID_OPTION", option: "--miner.min-gas-price", expected });
}

function parseAddress(text: string): Uint8Array {
  if (/^(0x)?[0-9a-fA-F]{40}$/.test(text)) return fromHex(text);
  throw new CliError({ code: "INVALID_OPTION", option: "--miner.address", expected: "40 hex digits" });
}
