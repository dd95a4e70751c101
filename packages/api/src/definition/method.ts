import type { KeyStore } from "@cambium/accounts";
import type { ChainReader } from "@cambium/chain";
import type { LocalMinerApi, MinerServerApi } from "@cambium/miner";
import type { ScoringAdmin } from "@cambium/networking";
import type { TransactionPoolApi } from "@cambium/txpool";
import type { ApiConfig } from "../config.js";
import type { MethodErrorName, RpcError } from "../errors.js";
import type { FilterRegistry } from "../filters/filter-registry.js";
import type { Deadline } from "../limits/deadline.js";
import type { JsonSchema, ParamType } from "../params/param-type.js";
import type { Impersonation } from "../signing/impersonation.js";
import type { ChainFeed } from "../sources/chain-feed.js";
import type { DeveloperPart } from "../sources/developer.js";
import type { SyncStatus } from "../sources/events.js";
import type { NodeAdmin, PeerAdmin, PeerSource, PendingBlock, PendingState, Readiness } from "../sources/node.js";
import type { SubscriberConnection } from "../subscriptions/topic.js";
import type { HeavyExecutor } from "../tasks/heavy-executor.js";

/** A block of another chain; the best one if the number is undefined. */
export interface ForkTarget {
  /** URL, or the folder that is forked already. */
  source: string;
  number: number | undefined;
}

/**
 * Replaces the served chain by a fork of the target; without a target, by a new local chain. Resolves once the new
 * chain is served. If it rejects, the present chain is still served.
 */
export type ChainReplacement = (target: ForkTarget | undefined) => Promise<void>;

/** A request that has failed. */
export interface FailedRequest {
  method: string;
  params: unknown;
  error: RpcError;
}

/** Parts that not every node has. */
export interface OptionalParts {
  /** Describes the data of a revert for the message of its error; undefined for unknown data. */
  revertText?: ((data: Uint8Array) => string | undefined) | undefined;
  /** Observes requests that fail. */
  onFailedRequest?: ((request: FailedRequest) => void) | undefined;
  /** Provides work for merged mining. */
  miner?: MinerServerApi;
  /** Mines blocks and can revert them; only on a local network. */
  localMiner?: LocalMinerApi;
  /** Keys held by the node. */
  accounts?: KeyStore;
  /** The block that would be mined next; without it the pending block is the best one. */
  pendingBlock?: () => Promise<PendingBlock>;
  /** Gas limit of the pending block; undefined: that of the best block counts. */
  pendingGasLimit?: () => number;
  /** The pending state; without it the pool executes it in this thread. */
  pendingState?: PendingState;
  /** Peer scoring. */
  scoring?: ScoringAdmin;
  /** Whether the node is ready, and what it is doing. */
  readiness?: () => Readiness;
  /** Status and settings of the node for its operator. */
  admin?: NodeAdmin;
  /** Replaces the chain of the node. Present only in `node-cli dev`. */
  replaceChain?: ChainReplacement;
  /** Artifacts and keys for the page of a developer. Only `node-cli dev` has them, and only for this machine. */
  developer?: DeveloperPart;
  /** Connections to peers, for the operator; together with {@link scoring}. */
  network?: PeerAdmin;
}

/** The parts that methods use. */
export interface MethodParts extends OptionalParts {
  chain: ChainReader;
  /** Whether the node is about to stop, because its chain has failed; undefined for a chain that cannot. */
  hasFailed?: () => boolean;
  pool: TransactionPoolApi;
  config: ApiConfig;
  /** Result of `web3_clientVersion`: `<Name>/<version>/<os>/<runtime>/<modifier>-<build>`. */
  clientVersion: string;
  syncStatus(): SyncStatus;
  filters: FilterRegistry;
  /** Changes of the best chain. */
  feed: Pick<ChainFeed, "on">;
  /** Executes long-running tasks. */
  heavy: HeavyExecutor;
  /** Undefined for a node without peers. */
  peers?: PeerSource;
  /** Number of queued peer messages; undefined for a node without peers. */
  waitingPeerMessages?: () => number;
  impersonation: Impersonation;
  /** Identifier of 32 bytes in hex, by which tools detect that the chain was reset. */
  instanceId: string;
  /** Versions of the enabled parts by name. */
  served: Readonly<Record<string, string>>;
  /** All enabled methods, in the order of the documentation. */
  servedMethods: readonly MethodDefinition[];
}

/** A positional parameter. `fallback` is the value of an optional one that is absent or null. */
export interface Param<T> {
  readonly name: string;
  readonly type: ParamType<unknown>;
  readonly required: boolean;
  readonly fallback?: unknown;
  /** Carries the type of the parsed value; never present. */
  readonly parsed?: T;
}

/** Parsed values of parameters. */
export type Arguments<P extends readonly Param<unknown>[]> = {
  -readonly [K in keyof P]: P[K] extends Param<infer T> ? T : never;
};

/**
 * Data besides the parameters on which a result depends: the chain alone, or the chain and the pool. `chain` means the
 * best block alone, unless the parameters say `pending` or the result is null. Such answers are kept until the best
 * block changes. If a method reads the pool too, only transactions whose `blockHash` is not null are kept. Readers
 * begin both kinds of methods in their own threads.
 */
export type Reads = "chain" | "chain and pool";

/** Kinds of methods by what a request costs a node, the cheapest first. */
export type MethodCost = "read" | "call" | "send" | "logs" | "trace";

/** Optional parts without which a method does not exist. */
export type NeededPart = "miner" | "localMiner" | "scoring" | "admin" | "network" | "developer" | "readiness";

export type MethodName = `${string}_${string}` | `rpc.${string}`;

/** The facts of a method: everything but its handler. */
interface MethodFacts<P extends readonly Param<unknown>[]> {
  readonly name: MethodName;
  readonly summary: string;
  readonly params: P;
  readonly result: JsonSchema;
  /** Errors besides those of every request (`ANY_ERRORS`) and those of the parameters. */
  readonly errors?: readonly MethodErrorName[];
  /** `read` by default. */
  readonly cost?: MethodCost;
  /** The deployed network's names, served unless `ApiConfig.aliases` is false (`spec/09`, table of names). */
  readonly aliases?: readonly string[];
  /**
   * File of the examples: `recorded` from a node by `npm run examples`, the default, or `written` by hand, because the
   * results differ from node to node.
   */
  readonly example?: "recorded" | "written";
  readonly needs?: NeededPart;
  /** Whether it always needs a thread for heavy work. */
  readonly isHeavy?: boolean;
  readonly reads?: Reads;
  /**
   * Whether only the end of the client's connection limits the method, because its effects cannot be undone half-way.
   */
  readonly isUntimed?: boolean;
}

/** A method as data: the server and the documentation read it. */
export interface MethodDefinition extends Omit<MethodFacts<readonly Param<unknown>[]>, "name"> {
  readonly name: string;
  readonly module: string;
  readonly errors: readonly MethodErrorName[];
  readonly cost: MethodCost;
  readonly aliases: readonly string[];
  readonly example: "recorded" | "written";
  /** Method for which this is another name. */
  readonly sameAs?: string;
  /** Whether the method exists only for callers that can receive notifications (`spec/09 §10`). */
  readonly needsConnection?: boolean;
  handler(
    parts: MethodParts,
    args: readonly unknown[],
    deadline: Deadline,
    connection: SubscriberConnection | undefined,
  ): unknown;
}

/** Defines a method; the types of the handler's arguments follow from the parameters. */
export function defineMethod<const P extends readonly Param<unknown>[]>({
  handler,
  ...facts
}: MethodFacts<P> & {
  handler(parts: MethodParts, args: Arguments<P>, deadline: Deadline): unknown;
}): MethodDefinition {
  return {
    ...completed(facts),
    handler: (parts, args, deadline) => handler(parts, args as Arguments<P>, deadline),
  };
}

/** Defines a method whose handler receives the caller's connection, to send notifications to it. */
export function defineConnectionMethod<const P extends readonly Param<unknown>[]>({
  handler,
  ...facts
}: MethodFacts<P> & {
  handler(parts: MethodParts, args: Arguments<P>, connection: SubscriberConnection): unknown;
}): MethodDefinition {
  return {
    ...completed(facts),
    needsConnection: true,
    handler: (parts, args, _deadline, connection) => handler(parts, args as Arguments<P>, connection!),
  };
}

/** The facts with their defaults, and with the errors of the parameters. */
function completed(facts: MethodFacts<readonly Param<unknown>[]>) {
  const { name, params, errors = [], cost = "read", aliases = [], example = "recorded" } = facts;
  const all = new Set([...errors, ...params.flatMap(({ type }) => type.errors ?? [])]);
  return { ...facts, module: moduleOf(name), errors: [...all], cost, aliases, example } as const;
}

/** The module of a method: the start of its name. */
export function moduleOf(name: string): string {
  return /^[^_.]*/.exec(name)![0];
}

export function required<T>(name: string, type: ParamType<T>): Param<T> {
  return { name, type, required: true };
}

/** An optional parameter and its value if it is absent or null. */
export function optional<T, F>(name: string, type: ParamType<T>, fallback: F): Param<T | F> {
  return { name, type, required: false, fallback };
}
