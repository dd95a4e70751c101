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
  /** JSON-RPC URLs of other nodes of the pool, which accept solutions of this node's work too. */
  partners: readonly string[];
  /** Recipient of the fees, 20 bytes. Development networks have a default. */
  rewardAddress?: Uint8Array;
  /** Target for the minimum gas price of locally produced blocks, in wei. */
  minimumGasPrice: bigint;
  /** Target of the gas limit of locally produced blocks. Undefined: they keep that of their parents. */
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
  /** 0 picks a free port. */
  port: number;
  /** Accepted `Host` names besides `localhost`, the listening host and literal IP addresses; `*` accepts any. */
  hosts: readonly string[];
  /** Number of blocks by which a ready node may lag behind the synchronisation target. */
  maxLag: number;
}

/** A stream of batches, with the keys of its nodes. */
export interface KeyedStream extends StreamAddress {
  /** Keys of 32 bytes. The first one seals messages; all are accepted. Without any, publishers can forge messages. */
  keys: readonly Uint8Array[];
}

/** Publishing of every committed batch for replicas. */
export interface ReplicationOptions extends KeyedStream {
  retention: Retention;
  /** Bytes of batches that are kept in the database while the stream is away. */
  maxBacklog: number;
  /** Whether this is one of several nodes of which one at a time publishes, see `runInTurn`. */
  isShared: boolean;
  /**
   * The term that the node has begun with the lease of the stream; `ended` is called once if another node has begun
   * one.
   */
  term?: { number: number; ended: () => void } | undefined;
  /** Number of NATS servers that keep the stream and the copy. */
  redundancy: number;
  /** A copy of the database in the object store, see `CopyPublisher`. */
  copies?: Pick<CopyPublisherOptions, "interval" | "maxRate"> | undefined;
}

/** Publishing of what API keys use. */
export interface UsageOptions extends StreamAddress {
  /** Milliseconds of one record. */
  interval: number;
}

/** Milliseconds for which a request waits for the block that its client has seen on another replica. */
export const HEAD_WAIT = 5_000;

/** Which states and blocks are stored. */
export interface StateOptions {
  /** Layout of a new database; an existing one must have it. Undefined: the usual one, or that of the database. */
  layout?: StateLayout | undefined;
  /** Number of latest blocks whose states remain readable in the flat layout; undefined: all. */
  history?: number | undefined;
  /** Number of latest blocks that are stored whole; undefined: all. */
  blocks?: number | undefined;
}

/** A chain to serve instead of the one that the node was started with. */
export interface OtherChain extends Pick<NodeOptions, "network" | "dataDir" | "mining" | "state"> {
  /** Called after the chain was closed. */
  close(): void | Promise<void>;
}

export interface NodeOptions extends Pick<OptionalParts, "revertText" | "onFailedRequest"> {
  network: NetworkConfig;
  dataDir: string;
  state?: StateOptions | undefined;
  rpc: RpcConfig;
  /** Whether JSON-RPC listens only once {@link Node.listen} is called: until then it serves this process. */
  listensLater?: boolean | undefined;
  mining: MiningOptions;
  /**
   * Whether blocks are imported and built in the main thread, for a network of this machine: that takes less work, but
   * requests wait for a block that executes.
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
  /** Undefined for a node without peers. */
  peers?: PeerOptions | undefined;
  /**
   * Artifacts of contracts, for the web page of a developer. Ignored unless only this machine can connect, and
   * JSON-RPC requires no API keys.
   */
  artifacts?: ContractArtifacts | undefined;
  /**
   * Opens the chain that `hardhat_reset` asks for: a fork of the target, or without one a local chain of its own. Only
   * for nodes without peers, metrics and reader threads. Undefined: the node keeps its chain.
   */
  otherChain?: ((target: ForkTarget | undefined) => Promise<OtherChain>) | undefined;
  /**
   * Initial synchronisation of an empty database: execute every block, or download the state of a recent one, which
   * needs peers. Without it every block is executed, but a node with an unfinished snapshot does not start.
   */
  syncMode?: "full" | "snapshot" | undefined;
  /** Transactions of an account in the pool at a time; undefined: 16, and on development networks all that fit. */
  accountSlots?: number | undefined;
  metrics?: MetricsOptions | undefined;
  /** Undefined if the usage of API keys is not published. */
  usage?: UsageOptions | undefined;
  /** Undefined for a node without replicas. */
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

/** What can change while a node runs; what is undefined stays unchanged. */
export interface NodeChanges extends ServingChanges, PeerChanges {
  /** See {@link NodeOptions.setLogLevels}; they must be valid. */
  logLevels?: string | undefined;
  /** See {@link MiningOptions}. */
  minimumGasPrice?: bigint | undefined;
  /** See {@link MetricsOptions}. */
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

/** Undefined where miners decide on the gas limit together: a node must not vote against the others unasked. */
function gasLimitTarget(network: NetworkConfig): bigint | undefined {
  if (!isLocal(network)) return undefined;
  const { gasLimit } = network.genesis;
  return gasLimit === local.genesis.gasLimit ? LOCAL_GAS_LIMIT : BigInt(gasLimit);
}

/** TCP port by chain id (`spec/07 §D.3`), distinct from the deployed client's so that both can run on one machine. */
const PORTS: Readonly<Record<number, number>> = { 30: 30330, 31: 30331, 32: 30332, 33: 30333 };

/** See {@link peerDefaults}. */
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
