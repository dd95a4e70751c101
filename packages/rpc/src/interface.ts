import type {
  ChainEventSource,
  Deliver,
  HeavyExecutor,
  OptionalParts,
  PeerSource,
  SyncStatusSource,
} from "@cambium/api";
import type { ChainReader } from "@cambium/chain";
import type { Logger } from "@cambium/primitives";
import type { TransactionPoolApi } from "@cambium/txpool";
import type { RpcConfig, ServingChanges } from "./config.js";
import type { ListeningAddress } from "./http/listener.js";
import type { ProgramConnection } from "./program-connection.js";
import type { MirroredPool } from "./replicas/mirrored-pool.js";
import type { WriterRequest } from "./replicas/writer-forwarding.js";
import type { UsageTable } from "./usage/usage-table.js";

/** A chain, and the parts of the node that belong to it. */
export interface ServedChain
  extends Pick<OptionalParts, "miner" | "localMiner" | "pendingBlock" | "pendingGasLimit" | "pendingState"> {
  chain: ChainReader;
  /** Whether the chain can accept no more blocks: all later requests then fail. */
  hasFailed?: () => boolean;
  /** Events for filters and subscriptions; undefined for a chain that does not change. */
  events?: ChainEventSource;
  pool: TransactionPoolApi;
  /** Source of the synchronisation status; undefined for a node that does not synchronise. */
  sync?: SyncStatusSource;
  /** Executor of heavy work; by default, the main thread. */
  heavy?: HeavyExecutor;
}

export interface RpcServerOptions extends OptionalParts, ServedChain {
  config: RpcConfig;
  /** Directory of the chain's database, for reader threads. */
  location?: string;
  /** Result of `web3_clientVersion`: `<Name>/<version>/<os>/<runtime>/<modifier>-<build>`. */
  clientVersion: string;
  logger: Logger;
  /** Source of peers; undefined for a node without peers. */
  peers?: PeerSource;
  /** Number of queued peer messages. */
  waitingPeerMessages?: () => number;
}

/** Addresses of HTTP and of WebSocket, which is undefined if it is disabled. */
export interface ServerAddresses extends ListeningAddress {
  ws: ListeningAddress | undefined;
}

export interface RpcServer {
  /** Starts the listeners. Rejects with {@link RpcServerError} `LISTEN_FAILED` or `INVALID_CONFIGURATION`. */
  listen(): Promise<ServerAddresses>;
  /** Closes the listeners after waiting up to `config.http.closeTimeout` for in-flight requests. */
  close(): Promise<void>;
  /**
   * Serves another chain from now on: subscriptions continue, filters end. Resolves when the requests about the
   * previous chain are answered, or after `config.http.closeTimeout`. Not with reader threads.
   */
  serve(served: ServedChain): Promise<void>;
  /** Handles a request object or batch without a listener; undefined if it held only notifications. Never rejects. */
  handle(request: unknown): Promise<unknown>;
  /** Connects a client of this process, even if the server does not listen. `deliver` receives its notifications. */
  connect(deliver: Deliver): ProgramConnection;
  /**
   * Handles the text of a request that a replica forwards. Only methods that replicas may call exist. Resolves to
   * undefined for a notification. Never rejects.
   */
  handleForReplica(text: string): Promise<string | undefined>;
  /** Changes settings while the server runs, in all its threads. */
  change(changes: ServingChanges): void;
  /** Applies a change of the logger's level. */
  logLevelsChanged(): void;
  /** Returns a table that receives the usage of API keys from now on. It must be emptied regularly. */
  usage(): UsageTable;
}

/** Options of {@link createReplicaServer}. */
export interface ReplicaServerOptions
  extends Omit<RpcServerOptions, "pool" | keyof OptionalParts>,
    Pick<OptionalParts, "readiness"> {
  request: WriterRequest;
  /** The mirror of the writer's pool. */
  pool: MirroredPool;
}
