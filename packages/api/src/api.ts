import { hasMethodAliases, isDeployed } from "./compatibility.js";
import { newInstanceId } from "./definition/instance-id.js";
import { type MethodDefinition, type MethodParts, moduleOf } from "./definition/method.js";
import { invalidParams } from "./errors.js";
import { Deadline } from "./limits/deadline.js";
import { shownChain } from "./lookups/shown-chain.js";
import { type DepthTags, depthTags } from "./params/depth-tags.js";
import { textOfInteger } from "./params/value-types.js";
import { Impersonation } from "./signing/impersonation.js";
import type { SubscriberConnection } from "./subscriptions/topic.js";
import type { HeavyExecutor } from "./tasks/heavy-executor.js";
import { InProcessExecutor } from "./tasks/in-process.js";

/** The parts of a node from which an {@link Api} answers. */
export interface ApiParts
  extends Omit<MethodParts, "served" | "servedMethods" | "heavy" | "impersonation" | "instanceId"> {
  /** Executor of heavy work; undefined: this thread. */
  heavy?: HeavyExecutor;
  /** Versions of modules by name, where they differ from {@link VERSION}. */
  versions?: Readonly<Record<string, string>>;
}

const VERSION = "1.0";

/** The methods of a node over its parts. Knows no transport. */
export class Api {
  /** Methods by name, including the deployed names unless the configuration disables them. */
  readonly methods: ReadonlyMap<string, MethodDefinition>;
  private readonly parts: MethodParts;
  private readonly tags: DepthTags;

  /** Serves the methods whose required parts exist. */
  constructor(given: ApiParts, methods: readonly MethodDefinition[]) {
    const parts = { ...given, chain: shownChain(given.chain, given.config) };
    const servedMethods = methods.filter(({ needs }) => needs === undefined || parts[needs] !== undefined);
    const named = servedMethods.flatMap((method) => namesOf(method, parts).map((name) => [name, method] as const));
    const versionOf = (name: string, { module }: MethodDefinition) =>
      [moduleOf(name), parts.versions?.[module] ?? VERSION] as const;
    this.methods = new Map(named);
    this.tags = depthTags(parts);
    this.parts = {
      ...parts,
      heavy: parts.heavy ?? new InProcessExecutor(parts),
      impersonation: new Impersonation(),
      instanceId: newInstanceId(),
      // The module of an alias is listed as by the deployed client only.
      served: Object.fromEntries(
        named.map(([name, one]) => versionOf(isDeployed(parts.config) ? name : one.name, one)),
      ),
      servedMethods,
    };
  }

  /**
   * Returns the result of a method. It is a promise only if the method returns one: promises cost more than most
   * methods. Throws {@link RpcError} `INVALID_PARAMS` for wrong parameters, and the errors of the method.
   */
  call(
    method: MethodDefinition,
    params: unknown,
    deadline = Deadline.after(0),
    connection?: SubscriberConnection,
  ): unknown {
    return method.handler(this.parts, bindArguments(method, params, this.tags), deadline, connection);
  }
}

function namesOf({ name, aliases }: MethodDefinition, { config }: ApiParts): readonly string[] {
  return hasMethodAliases(config) ? [name, ...aliases] : [name];
}

/** Truffle and others send `{}` for no parameters. */
function isNothing(params: unknown): boolean {
  if (params === undefined || params === null) return true;
  return typeof params === "object" && !Array.isArray(params) && Object.keys(params).length === 0;
}

/** Parses the positional parameters; optional ones are last, and may be absent (`spec/09 §2.1`, step 2). */
function bindArguments({ params }: MethodDefinition, given: unknown, tags: DepthTags): unknown[] {
  const values = isNothing(given) ? [] : given;
  if (!Array.isArray(values)) throw invalidParams();
  if (values.length > params.length || params[values.length]?.required) throw invalidParams();
  return params.map((param, i) => {
    const value = param.type.takesIntegers === false ? values[i] : textOfInteger(values[i]);
    return !param.required && (value === undefined || value === null) ? param.fallback : param.type.parse(value, tags);
  });
}
