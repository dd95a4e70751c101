import type { ChainReader } from "@cambium/chain";
import type { RpcConfig } from "./config.js";
import type { Deadline } from "./limits.js";
import type { JsonSchema, ParamType } from "./param-type.js";

/** Progress of the long synchronisation, or false: `spec/09 §6.5`. */
export type SyncStatus = false | { startingBlock: number; currentBlock: number; highestBlock: number };

/** What methods read. */
export interface RpcModules {
  chain: ChainReader;
  config: RpcConfig;
  /** Answer of `web3_clientVersion`: `<Name>/<version>/<os>/<runtime>/<modifier>-<build>`. */
  clientVersion: string;
  syncStatus(): SyncStatus;
  /** Version by name of the modules that are served. */
  served: Readonly<Record<string, string>>;
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
  handler(modules: RpcModules, args: readonly unknown[], deadline: Deadline): unknown;
}

/** A definition whose handler's arguments are typed by its parameters. */
export function defineMethod<const P extends readonly Param<unknown>[]>(definition: {
  name: `${string}_${string}`;
  summary: string;
  params: P;
  result: JsonSchema;
  handler(modules: RpcModules, args: Arguments<P>, deadline: Deadline): unknown;
}): MethodDefinition {
  const { handler } = definition;
  return {
    ...definition,
    module: definition.name.slice(0, definition.name.indexOf("_")),
    handler: (modules, args, deadline) => handler(modules, args as Arguments<P>, deadline),
  };
}

export function required<T>(name: string, type: ParamType<T>): Param<T> {
  return { name, type, required: true };
}

/** An optional parameter and what stands for it when it is absent or null. */
export function optional<T, F>(name: string, type: ParamType<T>, fallback: F): Param<T | F> {
  return { name, type, required: false, fallback };
}
