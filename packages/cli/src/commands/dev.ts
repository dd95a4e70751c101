import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DerivedKey, mnemonicKeys } from "@cambium/accounts";
import type { ForkTarget } from "@cambium/api";
import { local, type NetworkConfig } from "@cambium/config";
import type { Node } from "@cambium/node";
import { type NodeOptions, networkDefaults, type OtherChain } from "@cambium/node/options";
import { authority, shownUrl, toData } from "@cambium/primitives";
import { servesDashboard } from "@cambium/rpc/config";
import { BlockHeader } from "@cambium/types";
import { type Command, Option } from "commander";
import { type DevChainOptions, DevChains } from "../dev/dev-chains.js";
import { type DevRpcOptions, devRpcConfig } from "../dev/dev-rpc-config.js";
import { ForkOrigins } from "../dev/fork-origins.js";
import { greetingLines, replacementLines } from "../dev/greeting.js";
import { loadStateFile, requireStateFile, saveStateFile } from "../dev/state-file.js";
import { CliError, explainCliError } from "../errors.js";
import { fitOpenFiles } from "../open-files.js";
import { parseGasLimit, parseNumber, words } from "../options.js";
import { print, printLine } from "../output.js";
import { makeDataFolder } from "../private-files.js";
import { aborted, stopSignal } from "../stop-signal.js";
import { VERSION } from "../version.js";

interface DevOptions extends DevRpcOptions {
  dataDir?: string;
  "rpc.clientVersion": string;
  abi?: string[];
  quiet?: boolean;
  "log.format": "text" | "json";
  accounts: string;
  mnemonic: string;
  balance: string;
  gasLimit?: string;
  gasPrice: string;
  chainId?: string;
  fork?: string;
  "fork.allow"?: string;
  "fork.block"?: string;
  "fork.cache"?: string;
  "fork.network"?: string;
  blockTime?: string;
  state?: string;
}

/** The mnemonic that tools of developers share. */
const MNEMONIC = "test test test test test test test test test test test junk";
const MAX_ACCOUNTS = 1000;
/** Hardhat's network-helpers, and the upgrades plug-in, look at the beginning; a reader sees whose it is. */
const CLIENT_VERSION = `HardhatNetwork/compatible/Cambium/${VERSION}`;
/** A signature has the chain id in one byte. */
const MAX_CHAIN_ID = 110;
const COIN = 10n ** 18n;

/** `node-cli dev`: a local chain for development until SIGINT or SIGTERM. */
export function devCommand(program: Command): void {
  program
    .command("dev")
    .description(
      "run a local chain for development: funded accounts, a block for every transaction, and a line for each",
    )
    .option("--data-dir <folder>", "folder of the chain (default: a temporary one)")
    .option("--http.host <host>", "listening address of HTTP and WebSocket", "127.0.0.1")
    .option("--http.port <port>", "port of HTTP and WebSocket; 0 picks a free port", "4444")
    .option("--http.hosts <names>", "host names accepted in the Host header, separated by spaces; * for any")
    .option(
      "--http.cors <origins>",
      "origins of web pages to accept besides those of this machine, separated by spaces; * for any",
    )
    .option("--dashboard", "serve the web page at /dashboard/ (default if only this machine can connect)")
    .option("--no-dashboard", "do not serve the web page")
    .option(
      "--rpc.client-version <text>",
      "result of web3_clientVersion, for tools that look at the name",
      CLIENT_VERSION,
    )
    .option("--accounts <number>", "number of funded accounts", "10")
    .option("--mnemonic <words>", "words from which their keys are derived", MNEMONIC)
    .option("--balance <coins>", "coins of each account", "10000")
    .option(
      "--gas-limit <gas>",
      "gas limit of blocks and of the largest transaction (default: 10000000, or that of the forked block)",
    )
    .option("--gas-price <wei>", "minimum gas price", "0")
    .option("--chain-id <id>", `chain id, up to ${MAX_CHAIN_ID} (default: 33, or that of the forked chain)`)
    .option(
      "--fork <url|folder>",
      "begin with the state of another chain: of a JSON-RPC endpoint, or of a stopped node",
    )
    .option(
      "--fork.allow <origins>",
      "endpoints, https://host, that hardhat_reset may fork besides that of --fork, separated by spaces; * for any",
    )
    .option("--fork.block <number>", "number of the block after which the fork begins (default: the best one)")
    .option("--fork.cache <folder>", "folder of what was read from endpoints (default: ~/.cambium/forks)")
    .option("--fork.network <name|file>", "network of the forked chain, if it is not a public one")
    .option("--block-time <seconds>", "mine a block at this interval instead of for every transaction")
    .option("--state <file>", "load the accounts of this file, if it exists, and save them to it at the end")
    .option(
      "--abi <folder|file...>",
      "name functions and errors by the ABIs in these: Hardhat's artifacts, Foundry's out",
    )
    .option("--quiet", "print no transactions")
    .addOption(new Option("--log.format <format>", "form of the lines").choices(["text", "json"]).default("text"))
    .action(run);
}

async function run(options: DevOptions): Promise<void> {
  const keys = mnemonicKeys(mnemonic(options.mnemonic), parseNumber("--accounts", options.accounts, MAX_ACCOUNTS));
  if (options.state !== undefined) requireStateFile(options.state);
  const chains = new DevChains(chainOptions(options, keys));
  const { fork: source, "fork.block": block, dataDir: folder } = options;
  if (source === undefined && block !== undefined) {
    throw new CliError({ code: "OPTION_REQUIRES", option: "--fork.block", requires: "--fork" });
  }
  const number = block === undefined ? undefined : parseNumber("--fork.block", block);
  const timestamp = genesisTime(options);
  if (folder !== undefined) makeDataFolder(folder);
  try {
    const network = await chains.network(source === undefined ? undefined : { source, number }, timestamp, folder);
    const parts = nodeParts(options, keys, chains);
    const dataDir = folder ?? temporaryFolder();
    try {
      await serve(options, keys, { ...parts, ...chainParts(options, network), dataDir }, chains);
    } finally {
      if (folder === undefined) removeFolder(dataDir);
    }
  } finally {
    await chains.close();
  }
}

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "cambium-dev-"));
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

function chainOptions(options: DevOptions, keys: readonly DerivedKey[]): DevChainOptions {
  return {
    accounts: keys.map(({ address }) => address),
    balance: coins(options.balance),
    gasLimit: options.gasLimit === undefined ? undefined : parseGasLimit("--gas-limit", options.gasLimit),
    minimumGasPrice: BigInt(parseNumber("--gas-price", options.gasPrice)),
    chainId: options.chainId === undefined ? undefined : localChainId(options.chainId),
    forkNetwork: options["fork.network"],
    forkCache: options["fork.cache"],
    forkOrigins: new ForkOrigins(options.fork, words(options["fork.allow"]) ?? []),
    hasStateFile: options.state !== undefined,
  };
}

/**
 * Tests of contracts expect the present time in the first block; a chain that is kept must have the same genesis block
 * at every start.
 */
function genesisTime({ dataDir }: DevOptions): number {
  return dataDir === undefined ? now() : local.genesis.timestamp;
}

/** Seconds. */
function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** Throws {@link CliError} `INVALID_OPTION` for the ids of public networks. */
function localChainId(text: string): number {
  const chainId = parseNumber("--chain-id", text, MAX_CHAIN_ID);
  if (chainId !== 0 && chainId !== 30 && chainId !== 31) return chainId;
  const expected = `1 to ${MAX_CHAIN_ID}, but not 30 or 31, the ids of public networks`;
  throw new CliError({ code: "INVALID_OPTION", option: "--chain-id", value: text, expected });
}

async function serve(
  options: DevOptions,
  keys: readonly DerivedKey[],
  parts: NodeOptions,
  chains: DevChains,
): Promise<void> {
  const [{ Node }, { openLog }] = await Promise.all([import("@cambium/node"), import("../log/open-log.js")]);
  const logger = openLog({ levels: { all: "warn", packages: {} }, format: options["log.format"] });
  const stop = stopSignal(logger);
  const { rpc, warning } = fitOpenFiles(parts);
  if (warning !== undefined) logger.warn(warning);
  const node = await Node.start({ ...parts, rpc }, logger, stop).catch(async (error) => {
    const { startError } = await import("../start-errors.js");
    throw startError(error);
  });
  if (node === undefined) return;
  chains.address = node.addresses;
  try {
    await use(node, options, keys, stop);
  } finally {
    await node.stop();
  }
}

async function use(node: Node, options: DevOptions, keys: readonly DerivedKey[], stop: AbortSignal): Promise<void> {
  const place = authority(node.addresses);
  const url = `http://${place}`;
  const { state } = options;
  node.onChainReplaced(() => void chainReplaced(node, options));
  if (state !== undefined) await loadStateFile(url, state);
  if (!options.quiet) await printTransactions(node, options);
  const about = {
    url,
    wsUrl: `ws://${place}`,
    hasDashboard: servesDashboard(devRpcConfig(options)),
    chainId: node.chain.network.chainId,
    mnemonic: options.mnemonic,
    keys,
    balance: coins(options.balance),
    dataDir: options.dataDir,
    fork: node.chain.network.fork,
  };
  if (options["log.format"] === "text") for (const line of greetingLines(about)) print(line);
  else printLine({ url, chainId: about.chainId, mnemonic: about.mnemonic });
  const failure = await Promise.race([aborted(stop), node.failed]);
  if (failure !== undefined) throw failure;
  if (state !== undefined) await saveStateFile(url, state);
}

/** Says which chain `hardhat_reset` has begun, and serves it as the first one. */
async function chainReplaced(node: Node, options: DevOptions): Promise<void> {
  const { chainId, fork } = node.chain.network;
  if (options["log.format"] === "json") {
    printLine({
      chainId,
      fork: fork && { source: shownUrl(fork.source), number: fork.number, hash: toData(fork.hash) },
    });
  } else {
    for (const line of replacementLines(chainId, fork)) print(line);
  }
  if (!options.quiet) await printTransactions(node, options);
}

async function printTransactions({ chain, localMiner }: Node, options: DevOptions): Promise<void> {
  const [{ minedTransactions, textOf }, { KnownSignatures }, { AbiFiles }] = await Promise.all([
    import("../dev/transaction-lines.js"),
    import("../dev/known-signatures.js"),
    import("../dev/abi-files.js"),
  ]);
  const names = new KnownSignatures(options.abi && new AbiFiles(options.abi));
  const format = options["log.format"];
  chain.on((event) => {
    const isMined = event.kind === "newHead" || (event.kind === "reorg" && event.reorganisation.added.length > 0);
    if (!isMined || !localMiner!.next.isLogged || event.block.transactions.length < 2) return;
    for (const transaction of minedTransactions(chain, event.block, { names, hasCalls: localMiner!.next.isTraced })) {
      if (format === "json") printLine(transaction);
      else print(textOf(transaction));
    }
  });
}

function nodeParts(
  options: DevOptions,
  keys: readonly DerivedKey[],
  chains: DevChains,
): Omit<NodeOptions, "dataDir" | "network" | "mining"> {
  return {
    rpc: devRpcConfig(options),
    wallet: true,
    keys: keys.map(({ privateKey }) => privateKey),
    inProcess: true,
    isTemporary: options.dataDir === undefined,
    otherChain: (target) => otherChain(options, chains, target),
    clientVersion: options["rpc.clientVersion"],
    version: `Cambium/${VERSION}`,
  };
}

/** A chain in a temporary folder, whether the first one is kept or not. Rejects with `RpcError` if it is refused. */
async function otherChain(options: DevOptions, chains: DevChains, target: ForkTarget | undefined): Promise<OtherChain> {
  const network = await chains.network(target, now()).catch(async (error) => {
    const { RpcError } = await import("@cambium/api");
    if (!(error instanceof CliError)) throw error;
    throw new RpcError({ code: "SERVER_ERROR", text: explainCliError(error) });
  });
  const { closeForkSource } = await import("@cambium/fork");
  const dataDir = temporaryFolder();
  const close = () => {
    removeFolder(dataDir);
    closeForkSource(network);
  };
  return { ...chainParts(options, network), dataDir, close };
}

function chainParts(options: DevOptions, network: NetworkConfig): Pick<NodeOptions, "network" | "mining" | "state"> {
  const minimumGasPrice = BigInt(parseNumber("--gas-price", options.gasPrice));
  const { mining } = networkDefaults(network);
  const gasLimit = BigInt(options.gasLimit ?? firstGasLimit(network));
  return {
    network,
    mining: { ...mining, minimumGasPrice, gasLimit, local: localMining(options.blockTime) },
    state: network.fork === undefined ? undefined : { layout: "archive" },
  };
}

function localMining(blockTime: string | undefined): NodeOptions["mining"]["local"] {
  if (blockTime === undefined) return { kind: "automatic" };
  const seconds = /^\d+(\.\d+)?$/.test(blockTime) ? Number(blockTime) : 0;
  const interval = Math.round(seconds * 1000);
  if (interval > 0 && interval < 2 ** 31) return { kind: "interval", interval };
  const expected = "a number of seconds, at least 0.001";
  throw new CliError({ code: "INVALID_OPTION", option: "--block-time", value: blockTime, expected });
}

/** Of the genesis block, or of the block where a fork begins. */
function firstGasLimit(network: NetworkConfig): number | bigint {
  const { fork, genesis } = network;
  return fork === undefined ? genesis.gasLimit : BlockHeader.decode(fork.header, network).gasLimitValue;
}

/** Throws {@link CliError} `INVALID_OPTION` for a number of words that no mnemonic has (BIP-39). */
function mnemonic(text: string): string {
  const words = text.trim().split(/\s+/).length;
  if ([12, 15, 18, 21, 24].includes(words)) return text;
  throw new CliError({
    code: "INVALID_OPTION",
    option: "--mnemonic",
    value: text,
    expected: "12, 15, 18, 21 or 24 words",
  });
}

function coins(text: string): bigint {
  return BigInt(parseNumber("--balance", text)) * COIN;
}
