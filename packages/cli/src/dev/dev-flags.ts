import { MAX_CHAIN_ID } from "@cambium/config";
import { invalid } from "../errors.js";
import { choice, integer, list, parsed, parseNumber, paths, text, toggle, type Values } from "../flags/flag.js";
import { parseGasLimit, parseWei } from "../options.js";
import { RPC_FLAGS } from "../rpc-options.js";
import { VERSION } from "../version.js";

/** The mnemonic that tools of developers share. */
const MNEMONIC = "test test test test test test test test test test test junk";
const MAX_ACCOUNTS = 1000;
/**
 * Version string whose beginning Hardhat's network-helpers and the upgrades plug-in check; its end names this program.
 */
const CLIENT_VERSION = `HardhatNetwork/compatible/Cambium/${VERSION}`;
const COIN = 10n ** 18n;

/** Flags of `dev`. */
export const DEV_FLAGS = {
  "data-dir": text("folder", "folder of the chain (default: a temporary one)"),
  "http.host": { ...RPC_FLAGS["http.host"], help: "listening address of HTTP and WebSocket" },
  "http.port": { ...RPC_FLAGS["http.port"], help: "port of HTTP and WebSocket; 0 picks a free port" },
  "http.hosts": RPC_FLAGS["http.hosts"],
  "http.cors": list("origins", "origins of web pages to accept besides those of this machine; * for any"),
  dashboard: RPC_FLAGS.dashboard,
  "rpc.client-version": text("text", RPC_FLAGS["rpc.client-version"].help, { default: CLIENT_VERSION }),
  accounts: integer("number", "number of funded accounts", { default: "10", max: MAX_ACCOUNTS }),
  mnemonic: parsed("words", "words from which their keys are derived", parseMnemonic, { default: MNEMONIC }),
  balance: parsed("coins", "coins of each account", parseCoins, { default: "10000" }),
  "gas-limit": parsed(
    "gas",
    "gas limit of blocks and of the largest transaction (default: 10000000, or that of the forked block)",
    parseGasLimit,
  ),
  "gas-price": parsed("wei", "minimum gas price", parseWei, { default: "0" }),
  "chain-id": parsed("id", `chain id, up to ${MAX_CHAIN_ID} (default: 33, or that of the forked chain)`, parseChainId),
  fork: text("url|folder", "begin with the state of another chain: of a JSON-RPC endpoint, or of a stopped node"),
  "fork.allow": list(
    "origins",
    "endpoints, https://host, that hardhat_reset may fork besides that of --fork; * for any",
  ),
  "fork.block": integer("number", "number of the block after which the fork begins (default: the best one)"),
  "fork.cache": text("folder", "folder of what was read from endpoints (default: ~/.cambium/forks)"),
  "fork.network": text("name|file", "network of the forked chain, if it is not a public one"),
  "block-time": parsed("seconds", "mine a block at this interval instead of for every transaction", parseBlockTime),
  state: text("file", "load the accounts of this file, if it exists, and save them to it at the end"),
  abi: paths(
    "folder|file",
    "name contracts, functions, events and errors by the ABIs in these, on the page too: Hardhat's artifacts, Foundry's out",
  ),
  quiet: toggle("print no transactions and failed calls"),
  verbose: toggle("print the details of each transaction below its line: hash, block, addresses, arguments, events"),
  "log.format": choice("format", ["text", "json"], "form of the lines", { default: "text" }),
};

export type DevOptions = Values<typeof DEV_FLAGS>;

/** Refuses a number of words that no mnemonic has (BIP-39). */
function parseMnemonic(text: string, option: string): string {
  if ([12, 15, 18, 21, 24].includes(text.trim().split(/\s+/).length)) return text;
  throw invalid(option, text, "12, 15, 18, 21 or 24 words");
}

/** Wei. */
function parseCoins(text: string, option: string): bigint {
  return BigInt(parseNumber(option, text)) * COIN;
}

/** Refuses the ids of public networks. */
function parseChainId(text: string, option: string): number {
  const chainId = parseNumber(option, text, MAX_CHAIN_ID);
  if (chainId !== 0 && chainId !== 30 && chainId !== 31) return chainId;
  throw invalid(option, text, `1 to ${MAX_CHAIN_ID}, but not 30 or 31, the ids of public networks`);
}

/** Milliseconds. */
function parseBlockTime(text: string, option: string): number {
  const interval = /^\d+(\.\d+)?$/.test(text) ? Math.round(Number(text) * 1000) : 0;
  if (interval > 0 && interval < 2 ** 31) return interval;
  throw invalid(option, text, "a number of seconds, at least 0.001");
}
