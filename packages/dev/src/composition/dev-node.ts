import type { DerivedKey } from "@cambium/accounts";
import { type ForkTarget, RpcError } from "@cambium/api";
import { local, type NetworkConfig } from "@cambium/config";
import { closeForkSource } from "@cambium/fork";
import { Node } from "@cambium/node";
import { type NodeOptions, networkDefaults, type OtherChain } from "@cambium/node/options";
import { BlockHeader } from "@cambium/types";
import type { Logger } from "pino";
import { DevError } from "../errors.js";
import { DevChains } from "./dev-chains.js";
import { ForkOrigins } from "./fork-origins.js";
import { removeFolder, temporaryFolder } from "./temporary-folders.js";

/** The fork to start with, and the forks that clients may request. */
export interface DevForkOptions {
  /** URL of a JSON-RPC endpoint, or data folder of a stopped node; undefined: no fork. */
  source?: string | undefined;
  /** Number of the last block that is not local; undefined: the best one. */
  block?: number | undefined;
  /** Origins of the endpoints that `hardhat_reset` may fork besides `source`; `*` for any. */
  allow?: readonly string[] | undefined;
  /** Network of the forked chain; undefined: a built-in one, by the genesis block. */
  network?: NetworkConfig | undefined;
  /** Folder for data read from endpoints; undefined: `~/.cambium/forks`. */
  cache?: string | undefined;
}

/** Options of a node for development. */
export interface DevNodeOptions
  extends Pick<
    NodeOptions,
    "rpc" | "listensLater" | "clientVersion" | "version" | "artifacts" | "revertText" | "onFailedRequest"
  > {
  /** Keys of the funded accounts. */
  keys: readonly DerivedKey[];
  /** Wei of each account. */
  balance: bigint;
  /** Gas limit of blocks and of the largest transaction; undefined: that of the local network or the forked block. */
  gasLimit?: number | undefined;
  /** Wei. */
  minimumGasPrice: bigint;
  /** Undefined: that of the local network or of the forked chain. */
  chainId?: number | undefined;
  /** Milliseconds between blocks; undefined: a block for every transaction. */
  blockInterval?: number | undefined;
  fork: DevForkOptions;
  /** Undefined for a temporary folder, which is removed at the end. */
  dataDir?: string | undefined;
  /** Whether the accounts of each chain must be known so that they can be written to a file. */
  listsAccounts?: boolean | undefined;
}

/** A running node for development, with the folders and databases that it uses. */
export class DevNode {
  private constructor(
    readonly node: Node,
    private readonly used: UsedParts,
  ) {}

  /**
   * Starts a node; resolves to undefined if the signal aborts before it serves. Rejects with {@link DevError},
   * `ChainError`, or as `Node.start` does.
   */
  static async start(options: DevNodeOptions, logger: Logger, signal?: AbortSignal): Promise<DevNode | undefined> {
    const chains = new DevChains(chainOptions(options));
    const used: UsedParts = { chains, temporary: undefined, network: undefined };
    try {
      const { source, block: number } = options.fork;
      const target = source === undefined ? undefined : { source, number };
      const network = await chains.network(target, genesisTime(options.dataDir), options.dataDir);
      used.network = network;
      const dataDir = options.dataDir ?? (used.temporary = temporaryFolder());
      const parts = { ...nodeParts(options, chains), ...chainParts(options, network), dataDir };
      const node = await Node.start(parts, logger, signal);
      if (node !== undefined) {
        if (!options.listensLater) chains.listensAt(node.addresses);
        return new DevNode(node, used);
      }
    } catch (error) {
      await release(used);
      throw error;
    }
    await release(used);
    return undefined;
  }

  /** Makes a node that listens later listen. */
  async listen(): Promise<Node["addresses"]> {
    const addresses = await this.node.listen();
    this.used.chains.listensAt(addresses);
    return addresses;
  }

  async stop(): Promise<void> {
    try {
      await this.node.stop();
    } finally {
      await release(this.used);
    }
  }
}

/** Resources to release after the node. */
interface UsedParts {
  chains: DevChains;
  temporary: string | undefined;
  /** Network of the first chain. */
  network: NetworkConfig | undefined;
}

async function release({ chains, temporary, network }: UsedParts): Promise<void> {
  if (network !== undefined) closeForkSource(network);
  if (temporary !== undefined) removeFolder(temporary);
  await chains.close();
}

function chainOptions({ keys, fork, listsAccounts = false, ...options }: DevNodeOptions) {
  const { balance, gasLimit, minimumGasPrice, chainId } = options;
  return {
    accounts: keys.map(({ address }) => address),
    balance,
    gasLimit,
    minimumGasPrice,
    chainId,
    forkNetwork: fork.network,
    forkCache: fork.cache,
    forkOrigins: new ForkOrigins(fork.source, fork.allow ?? []),
    listsAccounts,
  };
}

/**
 * Returns the time of the genesis block. Tests of contracts expect the present time in the first block. A chain that is
 * kept must have the same genesis block at every start.
 */
function genesisTime(folder: string | undefined): number {
  return folder === undefined ? now() : local.genesis.timestamp;
}

/** Seconds. */
function now(): number {
  return Math.floor(Date.now() / 1000);
}

function nodeParts(options: DevNodeOptions, chains: DevChains): Omit<NodeOptions, "dataDir" | "network" | "mining"> {
  const { rpc, listensLater, keys, dataDir, clientVersion, version } = options;
  return {
    rpc,
    listensLater,
    wallet: true,
    keys: keys.map(({ privateKey }) => privateKey),
    inProcess: true,
    isTemporary: dataDir === undefined,
    otherChain: (target) => otherChain(options, chains, target),
    clientVersion,
    version,
    artifacts: options.artifacts,
    revertText: options.revertText,
    onFailedRequest: options.onFailedRequest,
  };
}

/**
 * Opens another chain in a temporary folder, whether the first one is kept or not. Rejects with `RpcError` if it is
 * refused.
 */
async function otherChain(
  options: DevNodeOptions,
  chains: DevChains,
  target: ForkTarget | undefined,
): Promise<OtherChain> {
  const network = await chains.network(target, now()).catch((error) => {
    if (!(error instanceof DevError)) throw error;
    throw new RpcError({ code: "SERVER_ERROR", text: error.message });
  });
  const dataDir = temporaryFolder();
  const close = () => {
    removeFolder(dataDir);
    closeForkSource(network);
  };
  return { ...chainParts(options, network), dataDir, close };
}

function chainParts(
  options: DevNodeOptions,
  network: NetworkConfig,
): Pick<NodeOptions, "network" | "mining" | "state"> {
  const { minimumGasPrice, gasLimit, blockInterval: interval } = options;
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
