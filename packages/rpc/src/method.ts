import type { KeyStore } from "@cambium/accounts";
import type { ChainReader } from "@cambium/chain";
import type { LocalMinerFace, MinerServerFace } from "@cambium/miner";
import type { ScoringAdmin } from "@cambium/networking";
import type { TransactionPoolFace } from "@cambium/txpool";
import type { Block } from "@cambium/types";
import type { RpcConfig } from "./config.js";
import type { FilterRegistry } from "./filters/filter-registry.js";
import type { HeavyExecutor } from "./heavy/heavy-executor.js";
import type { Deadline } from "./limits.js";
import type { JsonSchema, ParamType } from "./param-type.js";
import type { PeerSource, SyncStatus } from "./sources.js";
import type { SubscriberConnection } from "./subscriptions/topic.js";

/** Parts that not every node has. */
export interface OptionalParts {
  /** Gives out work for merged mining. */
  miner?: MinerServerFace;
  /** Makes blocks itself, and can go back: only on a local network. */
  localMiner?: LocalMinerFace;
  /** Keys the node holds. */
  accounts?: KeyStore;
  /** The block that would be mined next; without it the pending block is the best one. */
  pendingBlock?: () => Block;
  /** Judges peers. */
  scoring?: ScoringAdmin;
}

/** What methods read. */
export interface RpcModules extends OptionalParts {
  chain: ChainReader;
  pool: TransactionPoolFace;
  config: RpcConfig;
  /** Answer of `web3_clientVersion`: `<Name>/<version>/<os>/<runtime>/<modifier>-<build>`. */
  clientVersion: string;
  syncStatus(): SyncStatus;
  filters: FilterRegistry;
  /** Where methods leave work that can take long. */
  heavy: HeavyExecutor;
  /** Left out: a node without peers. */
  peers?: PeerSource;
  /** Messages of peers that wait to be handled; a node without peers has none. */
  waitingPeerMessages?: () => number;
  /** Version by name of the modules that are served. */
  served: Readonly<Record<string, string>>;
  /** Every method that is served, in the order of the documentation. */
  servedMethods: readonly MethodDefinition[];
}

/** One positional parameter. `fallback` stands for an absent or null optional one. */
export interface Param<T> {
  readonly name: string;
  readonly type: ParamType<unknown>;
  readonly required: boolean;
  readonly fallback?: unknown;
  /** Carries the type of the parsed value; never present. */
  readonly parsed?: T;
}

type Arguments<P extends readonly Param<unknown>[]> = {
  -readonly [K in keyof P]: P[K] extends Param<infer T> ? T : never;
};

/** One method as data: the dispatcher serves it, the documentation is generated from it. */
export interface MethodDefinition {
  readonly name: string;
  readonly module: string;
  readonly summary: string;
  readonly params: readonly Param<unknown>[];
  readonly result: JsonSchema;
  /** The part without which the method does not exist. */
  readonly needs?: keyof OptionalParts;
  /** Only for callers that can be sent notifications; for others the method does not exist (00, Subscriptions). */
  readonly needsConnection?: boolean;
  handler(
    modules: RpcModules,
    args: readonly unknown[],
    deadline: Deadline,
    connection: SubscriberConnection | undefined,
  ): unknown;
}

/** A definition whose handler's arguments are typed by its parameters. */
export function defineMethod<const P extends readonly Param<unknown>[]>(definition: {
  name: `${string}_${string}`;
  summary: string;
  params: P;
  result: JsonSchema;
  needs?: keyof OptionalParts;
  handler(modules: RpcModules, args: Arguments<P>, deadline: Deadline): unknown;
}): MethodDefinition {
  const { handler } = definition;
  return {
    ...definition,
    module: definition.name.slice(0, definition.name.indexOf("_")),
    handler: (modules, args, deadline) => handler(modules, args as Arguments<P>, deadline),
  };
}

/** A method that answers one connection and can send it more later. */
export function defineConnectionMethod<const P extends readonly Param<unknown>[]>(definition: {
  name: `${string}_${string}`;
  summary: string;
  params: P;
  result: JsonSchema;
  handler(modules: RpcModules, args: Arguments<P>, connection: SubscriberConnection): unknown;
}): MethodDefinition {
  const { handler } = definition;
  return {
    ...definition,
    module: definition.name.slice(0, definition.name.indexOf("_")),
    needsConnection: true,
    handler: (modules, args, _deadline, connection) => handler(modules, args as Arguments<P>, connection!),
  };
}

export function required<T>(name: string, type: ParamType<T>): Param<T> {
  return { name, type, required: true };
}

/** An optional parameter and what stands for it when it is absent or null. */
export function optional<T, F>(name: string, type: ParamType<T>, fallback: F): Param<T | F> {
  return { name, type, required: false, fallback };
}
