import { isJsonObject } from "@cambium/primitives";
import type { z } from "zod";
import { ConfigError } from "./errors.js";
import type { NetworkConfig } from "./network.js";
import type { NetworkJson } from "./network-schema.js";
import { NETWORKS, type NetworkName } from "./networks.js";

/**
 * Builds a network from parsed JSON. Byte strings are `0x` hex, big integers decimal strings, heights whole numbers
 * with -1 for "never". With `"extends": "<built-in network>"`, only differences are written: objects merge member by
 * member, any other value replaces the base's, and `null` removes an optional member. A network with its own accounts
 * does not inherit a literal genesis state root. Without a base, every member is required. Rejects with
 * {@link ConfigError} whose problems name the invalid members.
 */
export async function loadNetwork(json: unknown): Promise<NetworkConfig> {
  // Loaded on demand: built-in networks need no validation, and the library takes longer to load than the rest of the
  // package.
  const { networkSchema, networkToJson } = await import("./network-schema.js");
  const result = networkSchema.safeParse(withBase(json, networkToJson));
  if (!result.success) throw invalid(result.error.issues);
  return result.data;
}

/** The complete JSON form of a network, which {@link loadNetwork} accepts. */
export async function networkJson(network: NetworkConfig): Promise<NetworkJson> {
  const { networkToJson } = await import("./network-schema.js");
  return networkToJson(network);
}

function withBase(json: unknown, toJson: (network: NetworkConfig) => JsonObject): unknown {
  if (!isJsonObject(json) || !("extends" in json)) return json;
  const { extends: name, ...own } = json;
  const base = toJson(builtIn(name));
  // A literal state root is only valid for the accounts it was computed from.
  if (isJsonObject(own.genesis) && "accounts" in own.genesis) delete (base.genesis as JsonObject).stateRoot;
  return merge(base, own);
}

function builtIn(name: unknown): NetworkConfig {
  if (typeof name === "string" && Object.hasOwn(NETWORKS, name)) return NETWORKS[name as NetworkName];
  throw new ConfigError({ code: "UNKNOWN_NETWORK", name: String(name), known: Object.keys(NETWORKS) });
}

type JsonObject = Record<string, unknown>;

function merge(base: JsonObject, own: JsonObject): JsonObject {
  const merged = { ...base };
  for (const [key, value] of Object.entries(own)) {
    const inherited = Object.hasOwn(base, key) ? base[key] : undefined;
    if (value === null) delete merged[key];
    else merged[key] = isJsonObject(inherited) && isJsonObject(value) ? merge(inherited, value) : value;
  }
  return merged;
}

function invalid(issues: readonly z.core.$ZodIssue[]): ConfigError {
  const problems = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => `${at([...issue.path, key])}: no such member`)
      : [`${at(issue.path)}: ${issue.message}`],
  );
  return new ConfigError({ code: "INVALID_NETWORK", problems });
}

/** Formats a path as `genesis.accounts[2].balance`; the empty path is `network`. */
function at(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "network";
  return path
    .map((part, i) => (typeof part === "number" ? `[${part}]` : `${i > 0 ? "." : ""}${String(part)}`))
    .join("");
}
