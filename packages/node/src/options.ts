import type { ContractArtifacts, ForkTarget, OptionalParts, ReloadedConfig } from "@cambium/api";
import type { StateLayout } from "@cambium/chain-store";
import { isForDevelopment, isLocal, local, type NetworkConfig } from "@cambium/config";
import type { LocalMiningMode } from "@cambium/miner";
import type { NetworkingOptions, PeerChanges } from "@cambium/networking";
import { DEVELOPMENT_LIMITS, type PeerLimits, PUBLIC_LIMITS } from "@cambium/networking/options";
import type { CopyPublisherOptions, Retention, StreamAddress } from "@cambium/replication";
import type { RpcConfig, ServingChanges } from "@cambium/rpc";
import type { Checkpoint } from "@cambium/sync";

/** Local block production. */
export interface MiningOptions {
  /** Whether block templates are served to merged miners. */
  server: boolean;
  /** JSON-RPC URLs of other nodes of the pool, which also accept solutions of this node's work. */
  partners: readonly string[];
  /** Recipient of the fees, 20 bytes. Development networks have a default. */
  rewardAddress?: Uint8Array;
  /** Target for the minimum gas price of locally produced blocks, in wei. */
  minimumGasPrice: bigint;
  /** Target of the gas limit of locally produced blocks. Undefined: blocks keep their parents' limit. */
  gasLimit?: bigint | undefined;
  /** Mode of the built-in miner; development networks only. */
  local: LocalMiningMode;
}

/** Listening addresses, connection limits, boot nodes and synchronisation. */
export interface PeerOptions extends Omit<NetworkingOptions, "network" | "folder" | "clientId"> {
  /** Trusted block that the chain must contain. */
  checkpoint?: Checkpoint | undefined;
  /** Whether blocks below a snapshot are downloaded too, after their headers are verified. */
  fillsHistory?: boolean;
}

/** The server of metrics and health. */
export interface MetricsOptions {
  host: string;
  /** TCP port; 0 picks a free one. */
  port: number;
  /** Accepted `Host` names besides `localhost`, the listening host and literal IP addresses; `*` accepts any. */
  hosts: readonly string[];
  /** Number of blocks by which a ready node may lag behind the synchronisation target. */
  maxLag: number;
}

/** A stream of batches, with the keys of its nodes. */
export interface KeyedStream extends StreamAddress {
  /** Keys of 32 bytes. The first one seals messages; all are accepted. Without a key, publishers can forge messages. */
  keys: readonly Uint8Array[];
}

/** Publishing of every committed batch for replicas. */
export interface ReplicationOptions extends KeyedStream {
  retention: Retention;
  /** Maximum size in bytes of the batches that the database keeps while the stream is unavailable. */
  maxBacklog: number;
  /** Whether the node shares the stream with others. One of them publishes at a time; see `runInTurn`. */
  isShared: boolean;
  /**
   * The term that the node has begun with the lease of the stream. `ended` is called once if another node begins a
   * term.
   */
  term?: { number: number; ended: () => void } | undefined;
  /** Number of NATS servers that keep the stream and the copy. */
  redundancy: number;
  /** A copy of the database in the object store, see `CopyPublisher`. */
  copies?: Pick<CopyPublisherOptions, "interval" | "maxRate"> | undefined;
}

/** Publishing of the usage of API keys. */
export interface UsageOptions extends StreamAddress {
  /** Milliseconds that one record covers. */
  interval: number;
}

/** Milliseconds for which a request waits for the block that its client has seen on another replica. */
export const HEAD_WAIT = 5_000;

/** Range of the states and blocks that are stored. */
export interface StateOptions {
  /** Layout of a new database; an existing one must have it. Undefined: the default, or that of the database. */
  layout?: StateLayout | undefined;
  /** Number of latest blocks whose states remain readable in the flat layout; undefined: all. */
  history?: number | undefined;
  /** Number of latest blocks that are stored whole; undefined: all. */
  blocks?: number | undefined;
}

/** A chain to serve instead of the initial one. */
export interface OtherChain extends Pick<NodeOptions, "network" | "dataDir" | "mining" | "state"> {
  /** Called after the chain was closed. */
  close(): void | Promise<void>;
}

export interface NodeOptions extends Pick<OptionalParts, "revertText" | "onFailedRequest"> {
  network: NetworkConfig;
  dataDir: string;
  state?: StateOptions | undefined;
  rpc: RpcConfig;
  /** Whether JSON-RPC listens only after a call of {@link Node.listen}. Before that it serves only this process. */
  listensLater?: boolean | undefined;
  mining: MiningOptions;
  /**
   * Whether blocks are imported and built in the main thread, for a network on this machine. That takes less work, but
   * requests wait while a block executes.
   */
  inProcess?: boolean | undefined;
  /**
   * Whether `dataDir` is removed when the node stops. With `inProcess`, blocks are then answered before they are
   * written.
   */
  isTemporary?: boolean;
  /** Whether the node holds keys. Ignored if JSON-RPC requires API keys: such a node never holds any. */
  wallet: boolean;
  /** Keys that the wallet holds in memory instead of the well-known ones of development networks. */
  keys?: readonly Uint8Array[] | undefined;
  /** Options of peers; undefined for a node without peers. */
  peers?: PeerOptions | undefined;
  /**
   * Artifacts of contracts, for a developer's web page. Ignored unless only this machine can connect, and JSON-RPC
   * requires no API keys.
   */
  artifacts?: ContractArtifacts | undefined;
  /**
   * Opens the chain for `hardhat_reset`: a fork of the target, or without a target a new local chain. Only for nodes
   * without peers, metrics and reader threads. Undefined: the node keeps its chain.
   */
  otherChain?: ((target: ForkTarget | undefined) => Promise<OtherChain>) | undefined;
  /**
   * Initial synchronisation of an empty database: execute every block, or download the state of a recent one, which
   * needs peers. Undefined: every block is executed, but a node with an unfinished snapshot does not start.
   */
  syncMode?: "full" | "snapshot" | undefined;
  /** Maximum number of an account's transactions in the pool; undefined: 16, and no limit on development networks. */
  accountSlots?: number | undefined;
  metrics?: MetricsOptions | undefined;
  /** Publishing of usage; undefined: the usage of API keys is not published. */
  usage?: UsageOptions | undefined;
  /** Publishing for replicas; undefined for a node without replicas. */
  replication?: ReplicationOptions | undefined;
  /** Sets the levels of the log, for `admin_setLogLevel`; throws a `CambiumError` for text that is none. */
  setLogLevels?: ((levels: string) => void) | undefined;
  /** Reads the configuration again and applies it with `Node.change`, for `admin_reloadConfig`. */
  reloadConfig?: (() => Promise<ReloadedConfig>) | undefined;
  /** Result of `web3_clientVersion` instead of the usual one. */
  clientVersion?: string | undefined;
  /** `<Name>/<version>`, the beginning of the result of `web3_clientVersion`. */
  version: string;
}

/** Target of block gas limits on the local network (`spec/02 §1.1`). */
const LOCAL_GAS_LIMIT = 7_500_000n;

/** Options that can change while a node runs; undefined members stay unchanged. */
export interface NodeChanges extends ServingChanges, PeerChanges {
  /** Levels of the log, which must be valid; see {@link NodeOptions.setLogLevels}. */
  logLevels?: string | undefined;
  /** Target for the minimum gas price in wei; see {@link MiningOptions}. */
  minimumGasPrice?: bigint | undefined;
  /** Maximum lag of a ready node in blocks; see {@link MetricsOptions}. */
  maxLag?: number | undefined;
}

/** Default options of a network (`spec/03 §7.1`, `spec/09 §14`). */
export function networkDefaults(network: NetworkConfig): Pick<NodeOptions, "mining" | "wallet"> {
  return {
    mining: {
      server: isLocal(network),
      minimumGasPrice: 0n,
      gasLimit: gasLimitTarget(network),
      partners: [],
      local: { kind: "on-demand" },
    },
    wallet: isForDevelopment(network),
  };
}

/**
 * Returns a target; undefined where miners decide on the gas limit together: a node must not vote against the others by
 * default.
 */
function gasLimitTarget(network: NetworkConfig): bigint | undefined {
  if (!isLocal(network)) return undefined;
  const { gasLimit } = network.genesis;
  return gasLimit === local.genesis.gasLimit ? LOCAL_GAS_LIMIT : BigInt(gasLimit);
}

/** TCP port by chain id (`spec/07 §D.3`), distinct from the deployed client's so that both can run on one machine. */
const PORTS: Readonly<Record<number, number>> = { 30: 30330, 31: 30331, 32: 30332, 33: 30333 };

/** Defaults of {@link peerDefaults}. */
export interface PeerDefaults {
  hosts: string[];
  port: number;
  limits: PeerLimits;
  wires: NetworkingOptions["wires"];
  /** TCP and UDP port of the deployed network's wire. */
  rlpxPort: number;
  /** Nodes of the deployed network at which discovery starts. */
  rlpxBootNodes: NetworkingOptions["rlpx"]["bootNodes"];
}

/** Default listening addresses, wires and connection limits of a network (`spec/07 §D.3`, `§D.5`). */
export function peerDefaults(network: NetworkConfig): PeerDefaults {
  const development = isForDevelopment(network);
  return {
    hosts: development ? ["127.0.0.1"] : ["0.0.0.0", "::"],
    port: PORTS[network.chainId] ?? 30330,
    limits: development ? DEVELOPMENT_LIMITS : PUBLIC_LIMITS,
    wires: development ? ["libp2p"] : ["libp2p", "rlpx"],
    rlpxPort: network.deployedWire?.port ?? 0,
    rlpxBootNodes: network.deployedWire?.bootNodes ?? [],
  };
}
