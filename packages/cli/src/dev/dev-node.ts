import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DerivedKey } from "@cambium/accounts";
import type { ForkTarget } from "@cambium/api";
import { local, type NetworkConfig } from "@cambium/config";
import { type NodeOptions, networkDefaults, type OtherChain } from "@cambium/node/options";
import { BlockHeader } from "@cambium/types";
import { CliError, explainCliError, unmet } from "../errors.js";
import { VERSION } from "../version.js";
import { type DevChainOptions, DevChains } from "./dev-chains.js";
import type { DevOptions } from "./dev-flags.js";
import { devRpcConfig } from "./dev-rpc-config.js";
import { ForkOrigins } from "./fork-origins.js";

/** What the first node of `dev` is started with, in a folder that is removed afterwards unless it is kept. */
export async function withDevNode(
  options: DevOptions,
  keys: readonly DerivedKey[],
  use: (node: NodeOptions, chains: DevChains) => Promise<void>,
): Promise<void> {
  const { fork: source, "fork.block": number, "data-dir": folder } = options;
  if (source === undefined && number !== undefined) throw unmet("--fork.block", "--fork");
  const chains = new DevChains(chainOptions(options, keys));
  try {
    const target = source === undefined ? undefined : { source, number };
    const network = await chains.network(target, genesisTime(folder), folder);
    const dataDir = folder ?? temporaryFolder();
    try {
      await use({ ...nodeParts(options, keys, chains), ...chainParts(options, network), dataDir }, chains);
    } finally {
      if (folder === undefined) removeFolder(dataDir);
    }
  } finally {
    await chains.close();
  }
}

function chainOptions(options: DevOptions, keys: readonly DerivedKey[]): DevChainOptions {
  return {
    accounts: keys.map(({ address }) => address),
    balance: options.balance,
    gasLimit: options["gas-limit"],
    minimumGasPrice: options["gas-price"],
    chainId: options["chain-id"],
    forkNetwork: options["fork.network"],
    forkCache: options["fork.cache"],
    forkOrigins: new ForkOrigins(options.fork, options["fork.allow"] ?? []),
    hasStateFile: options.state !== undefined,
  };
}

/**
 * Tests of contracts expect the present time in the first block; a chain that is kept must have the same genesis block
 * at every start.
 */
function genesisTime(folder: string | undefined): number {
  return folder === undefined ? now() : local.genesis.timestamp;
}

/** Seconds. */
function now(): number {
  return Math.floor(Date.now() / 1000);
}

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "cambium-dev-"));
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
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
    isTemporary: options["data-dir"] === undefined,
    otherChain: (target) => otherChain(options, chains, target),
    clientVersion: options["rpc.client-version"],
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
  const { "gas-price": minimumGasPrice, "gas-limit": gasLimit, "block-time": interval } = options;
  const { mining } = networkDefaults(network);
  return {
    network,
    mining: {
      ...mining,
      minimumGasPrice,
      gasLimit: BigInt(gasLimit ?? firstGasLimit(network)),
      local: interval === undefined ? { kind: "automatic" } : { kind: "interval", interval },
    },
    state: network.fork === undefined ? undefined : { layout: "archive" },
  };
}

/** Gas limit of the genesis block, or of the block where a fork begins. */
function firstGasLimit(network: NetworkConfig): number | bigint {
  const { fork, genesis } = network;
  return fork === undefined ? genesis.gasLimit : BlockHeader.decode(fork.header, network).gasLimitValue;
}
