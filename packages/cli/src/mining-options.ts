import { isForDevelopment, type NetworkConfig } from "@cambium/config";
import { type MiningOptions, type NodeOptions, networkDefaults } from "@cambium/node/options";
import { fromHex } from "@cambium/primitives";
import { isOwnHost } from "@cambium/rpc/config";
import { CliError, invalid, unmet } from "./errors.js";
import { eitherWay, grouped, integer, list, parsed, toggle, type Values } from "./flags/flag.js";
import { parseGasLimit, parseWei } from "./options.js";
import type { RpcFlags } from "./rpc-options.js";

/** The most transactions of the pool. */
const MAX_SLOTS = 20_000;

/** Longest delay of a timer, in milliseconds. */
const LONGEST_INTERVAL = 2 ** 31 - 1;

export const MINING_FLAGS = grouped("Mining", {
  mine: toggle("mine a block as soon as a transaction arrives (networks local and dev)"),
  "mine.interval": integer("ms", "mine a block at this interval (networks local and dev)", {
    min: 1,
    max: LONGEST_INTERVAL,
  }),
  "miner.server": eitherWay(
    "serve block templates to merged miners (default on the local network)",
    "do not serve block templates",
  ),
  "miner.partners": list("urls", "JSON-RPC URLs of other nodes of the pool: they accept solutions of this node's work"),
  "miner.address": parsed("address", "address that receives the fees of locally produced blocks", parseAddress),
  "miner.min-gas-price": parsed("wei", "target for the minimum gas price of locally produced blocks", parseWei, {
    type: "integer",
  }),
  "miner.gas-limit": parsed(
    "gas",
    "target for the gas limit of locally produced blocks (default: that of the parent block; local: 7500000, or that of a genesis of your own)",
    parseGasLimit,
    { type: "integer" },
  ),
  "txpool.account-slots": integer(
    "n",
    "transactions of an account that the pool takes at a time (default: 16, as the deployed network's nodes; on local and dev all that fit)",
    { min: 1, max: MAX_SLOTS },
  ),
});

export const WALLET_FLAGS = grouped("JSON-RPC", {
  wallet: eitherWay(
    "enable the wallet, with keys in <data-dir>/keystore (default on local and dev)",
    "disable the wallet",
  ),
  "wallet.allow-public": toggle("enable the wallet although JSON-RPC listens on an address that others may reach"),
});

type ServingFlags = RpcFlags & Values<typeof MINING_FLAGS & typeof WALLET_FLAGS>;

/**
 * Mining and wallet options over the network's defaults. Throws {@link CliError} `INVALID_OPTION` or `OPTION_REQUIRES`.
 */
export function miningAndWallet(options: ServingFlags, network: NetworkConfig): Pick<NodeOptions, "mining" | "wallet"> {
  const defaults = networkDefaults(network);
  const { "miner.min-gas-price": price, "miner.gas-limit": gasLimit, "miner.address": address } = options;
  if (options["miner.server"] && address === undefined && !isForDevelopment(network)) {
    throw unmet("--miner.server", `--miner.address on network ${network.name}`);
  }
  return {
    wallet: walletEnabled(options, network),
    mining: {
      ...defaults.mining,
      server: options["miner.server"] ?? defaults.mining.server,
      local: localMining(options, network) ?? defaults.mining.local,
      partners: partners(options["miner.partners"]),
      ...(price === undefined ? {} : { minimumGasPrice: price }),
      ...(gasLimit === undefined ? {} : { gasLimit: BigInt(gasLimit) }),
      ...(address === undefined ? {} : { rewardAddress: address }),
    },
  };
}

/** Throws {@link CliError} `INVALID_OPTION`. */
function partners(urls: readonly string[] = []): readonly string[] {
  const wrong = urls.find((url) => !/^https?:\/\//.test(url) || !URL.canParse(url));
  if (wrong === undefined) return urls;
  throw invalid("--miner.partners", wrong, "URLs that begin with http:// or https://");
}

/**
 * Whether the node holds keys. Throws {@link CliError} `OPTION_REQUIRES` if every client of a public address could use
 * them. The keys of development networks are public, and with API keys the node holds none.
 */
function walletEnabled(options: ServingFlags, network: NetworkConfig): boolean {
  const enabled = options.wallet ?? networkDefaults(network).wallet;
  const hasKeys = options["rpc.keys"] !== undefined || options["rpc.managed-keys"];
  if (!enabled || isForDevelopment(network) || hasKeys) return enabled;
  const hosts = [options["http.host"], ...(options.ws ? [options["ws.host"] ?? options["http.host"]] : [])];
  const open = hosts.find((host) => !isOwnHost(host));
  if (open !== undefined && !options["wallet.allow-public"]) {
    const requires = "--wallet.allow-public, because every client could use the keys of unlocked accounts";
    throw unmet(`--wallet with JSON-RPC on ${open}`, requires);
  }
  return enabled;
}

/** Undefined if no mining flag is set. */
function localMining(options: ServingFlags, network: NetworkConfig): MiningOptions["local"] | undefined {
  const interval = options["mine.interval"];
  if (!options.mine && interval === undefined) return undefined;
  const option = interval === undefined ? "--mine" : "--mine.interval";
  if (!isForDevelopment(network)) throw unmet(option, "--network local or dev");
  if (interval === undefined) return { kind: "automatic" };
  return { kind: "interval", interval };
}

function parseAddress(text: string, option: string): Uint8Array {
  if (/^(0x)?[0-9a-fA-F]{40}$/.test(text)) return fromHex(text);
  throw invalid(option, text, "40 hex digits");
}
