import type { Api, MethodDefinition } from "@cambium/api";
import { DEFAULT_RPC_CONFIG, type ModuleConfig, type RpcConfig } from "../config.js";
import { isOwnHost, requiresKeys } from "../own-host.js";
import { type MethodMeasurements, measurementsOf } from "./measurements.js";

/** An enabled method, with values that are computed before any request. */
export interface ServedMethod {
  definition: MethodDefinition;
  timeout: number;
  measurements: MethodMeasurements;
}

/** Returns the enabled methods (`spec/09 §2.2`). A disabled method responds like one that does not exist. */
export function enabledMethods(methods: readonly MethodDefinition[], config: RpcConfig): MethodDefinition[] {
  return methods.filter(({ name, module: moduleName }) => {
    const module = moduleOf(moduleName, config);
    if (module === undefined || !isEnabled(module, config) || module.disabledMethods.includes(name)) return false;
    return module.enabledMethods.length === 0 || module.enabledMethods.includes(name);
  });
}

/** Returns how to enable the methods that the node has but does not serve, by all their names. */
export function remedies(
  methods: readonly MethodDefinition[],
  { methods: served }: Api,
  config: RpcConfig,
): ReadonlyMap<string, string> {
  const absent = methods.filter(({ name }) => !served.has(name));
  return new Map(
    absent.flatMap((method) => {
      const remedy = remedyFor(method, config);
      return remedy === undefined ? [] : [method.name, ...method.aliases].map((name) => [name, remedy] as const);
    }),
  );
}

function remedyFor({ name, module, needs }: MethodDefinition, config: RpcConfig): string | undefined {
  if (module === "mnr") return "the node serves no work; start it with --miner.server and --miner.address";
  if (needs === "localMiner" || needs === "developer") return "only networks for development have it";
  if (needs === undefined && moduleOf(module, config)?.disabledMethods.includes(name)) {
    return `modules.${module}.disabledMethods lists it; change that in the file of --rpc.config`;
  }
  const isSwitched = needs === undefined && typeof DEFAULT_RPC_CONFIG.modules[module]?.enabled !== "boolean";
  return isSwitched || module === "admin" ? `enable the module with --rpc.modules ${module}` : undefined;
}

/** Returns the methods by all their names. */
export function servedMethods({ methods }: Api, config: RpcConfig): Map<string, ServedMethod> {
  const served = new Map<string, ServedMethod>();
  for (const [name, definition] of methods) {
    served.set(name, served.get(definition.name) ?? servedMethod(definition, config));
  }
  return served;
}

/** Versions of the modules, by name. */
export function moduleVersions({ modules }: RpcConfig): Record<string, string> {
  return Object.fromEntries(Object.entries(modules).map(([name, { version }]) => [name, version]));
}

function servedMethod(definition: MethodDefinition, config: RpcConfig): ServedMethod {
  const { name, module } = definition;
  const { methodTimeouts, timeout } = moduleOf(module, config)!;
  const own = methodTimeouts[name.slice(module.length + 1)];
  return { definition, timeout: own ?? timeout, measurements: measurementsOf(name) };
}

function moduleOf(name: string, { modules }: RpcConfig): ModuleConfig | undefined {
  return Object.hasOwn(modules, name) ? modules[name] : undefined;
}

function isEnabled({ enabled }: ModuleConfig, { http, ws, auth }: RpcConfig): boolean {
  if (typeof enabled === "boolean") return enabled;
  // Keys are meant for remote clients behind a proxy.
  return !requiresKeys(auth) && isOwnHost(http.host) && (!ws.enabled || isOwnHost(ws.host));
}
