import type { ForkTarget } from "@cambium/api";
import { local, type NetworkConfig } from "@cambium/config";
import type { Database } from "@cambium/database";
import { isOwnHost } from "@cambium/rpc/config";
import { DevError } from "../errors.js";
import { devNetwork } from "./dev-network.js";
import type { ForkOrigins } from "./fork-origins.js";

/** Options that all chains of one node share. */
export interface DevChainOptions {
  accounts: readonly Uint8Array[];
  /** Wei of each account. */
  balance: bigint;
  gasLimit: number | undefined;
  /** Wei. */
  minimumGasPrice: bigint;
  chainId: number | undefined;
  /** Network of forked chains, and folder for data read from them; undefined: the default ones. */
  forkNetwork: NetworkConfig | undefined;
  forkCache: string | undefined;
  forkOrigins: ForkOrigins;
  /** Whether the accounts of each chain must be known so that they can be written to a file. */
  listsAccounts: boolean;
}

interface Address {
  host: string;
  port: number;
}

/**
 * Addresses on which this process listens. A fork blocks the main thread until its source answers, so its source cannot
 * be in this process.
 */
const listening = new Set<Address>();

/** The chains that a node begins: the first one, and those that `hardhat_reset` requests. */
export class DevChains {
  /** The databases of folders that were forked: later chains may fork them again. */
  private readonly databases = new Map<string, Database>();
  private address: Address | undefined;

  constructor(private readonly options: DevChainOptions) {}

  /**
   * Returns the network of a fork. Without a target, it is a local chain whose genesis block has the timestamp.
   * `dataDir` is the folder of a fork; undefined for a temporary one. Rejects with {@link DevError}, `ChainError` or
   * `DatabaseError`.
   */
  async network(target: ForkTarget | undefined, timestamp: number, dataDir?: string): Promise<NetworkConfig> {
    const { accounts, balance, gasLimit, minimumGasPrice, chainId } = this.options;
    if (target === undefined) {
      const id = chainId ?? local.chainId;
      return devNetwork({ chainId: id, accounts, balance, gasLimit, minimumGasPrice, timestamp });
    }
    const { source } = target;
    if (isOfThisProcess(source)) throw new DevError({ code: "FORK_OF_ITSELF", url: source });
    this.options.forkOrigins.require(source);
    const { listsAccounts, forkNetwork, forkCache: cache } = this.options;
    if (listsAccounts && /^https?:/.test(source)) throw new DevError({ code: "ACCOUNTS_NOT_LISTED" });
    const { openFork } = await import("./fork.js");
    const { network, database } = await openFork({
      ...target,
      cache,
      network: forkNetwork,
      accounts,
      balance,
      dataDir,
      chainId,
      gasLimit,
      database: this.databases.get(source),
    });
    if (database !== undefined) this.databases.set(network.fork!.source, database);
    return network;
  }

  /** Notes the address on which the node listens. */
  listensAt(address: Address): void {
    this.address = address;
    listening.add(address);
  }

  async close(): Promise<void> {
    if (this.address !== undefined) listening.delete(this.address);
    for (const database of this.databases.values()) await database.close();
  }
}

function isOfThisProcess(source: string): boolean {
  if (!/^https?:/.test(source) || !URL.canParse(source)) return false;
  const url = new URL(source);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return [...listening].some((one) => Number(url.port) === one.port && (isOwnHost(host) || host === one.host));
}
