import { isDeployed } from "../compatibility.js";
import type { ModuleConfig, RpcConfig } from "../config.js";
import type { DepthTags } from "../depth-tags.js";
import { invalidParams } from "../errors.js";
import { isOwnHost, requiresKeys } from "../own-host.js";
import { methodAliases, withModuleAliases } from "./aliases.js";
import { type MethodMeasurements, measurementsOf } from "./measurements.js";
import type { MethodDefinition } from "./method.js";
import { textOfInteger } from "./value-types.js";

/** An enabled method, with what can be computed before any request. */
export interface ServedMethod {
  definition: MethodDefinition;
  requiredCount: number;
  timeout: number;
  measurements: MethodMeasurements;
}

/** Enabled methods by name (`spec/09 §2.2`). A disabled method responds like one that does not exist. */
export function servedMethods(methods: readonly MethodDefinition[], config: RpcConfig): Map<string, ServedMethod> {
  const served = new Map<string, ServedMethod>();
  for (const definition of methods) {
    const module = Object.hasOwn(config.modules, definition.module) ? config.modules[definition.module]! : undefined;
    if (module === undefined || !isEnabled(module, config) || module.disabledMethods.includes(definition.name))
      continue;
    if (module.enabledMethods.length > 0 && !module.enabledMethods.includes(definition.name)) continue;
    const own = module.methodTimeouts[definition.name.slice(definition.module.length + 1)];
    const entry: ServedMethod = {
      definition,
      requiredCount: definition.params.filter((param) => param.required).length,
      timeout: own ?? module.timeout,
      measurements: measurementsOf(definition.name),
    };
    served.set(definition.name, entry);
    if (isDeployed(config)) for (const alias of methodAliases(definition.name)) served.set(alias, entry);
  }
  return served;
}

function isEnabled({ enabled }: ModuleConfig, { http, ws, auth }: RpcConfig): boolean {
  if (typeof enabled === "boolean") return enabled;
  // Keys are for clients elsewhere, behind a proxy.
  return !requiresKeys(auth) && isOwnHost(http.host) && (!ws.enabled || isOwnHost(ws.host));
}

export function servedModules(served: ReadonlyMap<string, ServedMethod>, config: RpcConfig): Record<string, string> {
  const names = new Set([...served.values()].map((method) => method.definition.module));
  const versions = Object.fromEntries([...names].map((name) => [name, config.modules[name]!.version]));
  return isDeployed(config) ? withModuleAliases(versions) : versions;
}

/** Parses the positional parameters; optional ones may be absent (`spec/09 §2.1`, step 2). */
export function bindArguments(
  { definition, requiredCount }: ServedMethod,
  params: unknown,
  tags: DepthTags,
): unknown[] {
  const given = isNothing(params) ? [] : params;
  if (!Array.isArray(given)) throw invalidParams();
  if (given.length < requiredCount || given.length > definition.params.length) throw invalidParams();
  return definition.params.map((param, i) => {
    const value = param.type.takesIntegers === false ? given[i] : textOfInteger(given[i]);
    return !param.required && (value === undefined || value === null) ? param.fallback : param.type.parse(value, tags);
  });
}

/** Truffle and others send `{}` for no parameters. */
function isNothing(params: unknown): boolean {
  if (params === undefined || params === null) return true;
  return typeof params === "object" && !Array.isArray(params) && Object.keys(params).length === 0;
}
