import { isOwnHost } from "@cambium/rpc/config";
import { Conversion } from "./conversion.js";
import type { HoconObject, HoconValue } from "./hocon.js";
import { REMARKS } from "./remarks.js";
import { CONVERTED } from "./settings.js";

/** Characters, more than any known name has. */
const MAX_KNOWN = 200;
const NETWORK = "blockchain.config.name";

/** Converts the settings of the deployed client's file, and adds its defaults where those here differ. */
export function convert(root: HoconObject): Conversion {
  const conversion = new Conversion();
  // Convert the network first: other settings depend on it.
  for (const [name, value] of named(root, "")) if (name === NETWORK) CONVERTED[NETWORK]!({ name, value }, conversion);
  if (conversion.remarks.length === 0) conversion.setDefault("network", "main");
  for (const [name, value] of named(root, "")) {
    if (name === NETWORK) continue;
    const convertOne = own(CONVERTED, name);
    if (convertOne !== undefined) convertOne({ name, value }, conversion);
    else conversion.remark({ name, value }, remarkOf(name) ?? "is no known setting of the deployed client");
  }
  conversion.setDefault("rpc.compatibility", "deployed");
  conversion.setDefault("ws.enabled", false);
  const host = conversion.settings.get("http.host")?.value;
  if (typeof host === "string" && !isOwnHost(host)) conversion.setDefault("http.hosts", ["*"]);
  return conversion;
}

/**
 * Yields settings by their whole names. It does not enter objects that are converted as a whole, or that have one
 * common remark.
 */
function* named(object: HoconObject, prefix: string): Generator<[name: string, value: HoconValue]> {
  for (const [part, value] of object) {
    const name = prefix + (/^[\w-]+$/.test(part) ? part : JSON.stringify(part));
    const isWhole = own(CONVERTED, name) !== undefined || (own(REMARKS, name) !== undefined && !hasParts(name));
    if (value.content instanceof Map && !isWhole) yield* named(value.content as HoconObject, `${name}.`);
    else yield [name, value];
  }
}

/** Whether single settings of a group are known. */
function hasParts(group: string): boolean {
  return [...Object.keys(CONVERTED), ...Object.keys(REMARKS)].some((name) => name.startsWith(`${group}.`));
}

/** The remark about a setting, or about the smallest group that it belongs to. */
export function remarkOf(name: string): string | undefined {
  // Longer names are unknown, and a name in quotes may contain any number of dots.
  for (let group = name.slice(0, MAX_KNOWN); ; group = group.slice(0, group.lastIndexOf("."))) {
    const remark = own(REMARKS, group);
    if (remark !== undefined || !group.includes(".")) return remark;
  }
}

function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
