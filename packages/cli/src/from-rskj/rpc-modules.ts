import { METHODS } from "@cambium/api";
import { booleanOf, type Conversion, type Found, integerOf, memberOf, textOf, wordsOf } from "./conversion.js";
import type { HoconValue } from "./hocon.js";

/** Modules of the deployed client, by the names here. */
const MODULES: Readonly<Record<string, string>> = {
  eth: "eth",
  net: "net",
  rpc: "rpc",
  web3: "web3",
  evm: "evm",
  sco: "sco",
  txpool: "txpool",
  personal: "personal",
  debug: "debug",
  trace: "trace",
  mnr: "mnr",
  rsk: "chain",
};
const KNOWN: ReadonlySet<string> = new Set(METHODS.map(({ name }) => name));

/** Converts `rpc.modules`: an object by name, or the list of earlier releases, which disables modules that it lacks. */
export function convertModules(found: Found, conversion: Conversion): void {
  const { content } = found.value;
  const listed = new Map<string, HoconValue>();
  if (content instanceof Map) for (const [name, value] of content) listed.set(name, value);
  else if (Array.isArray(content)) {
    for (const value of content as readonly HoconValue[]) {
      const name = memberOf(value, "name");
      if (name !== undefined) listed.set(textOf(name) ?? "", value);
    }
    for (const [name, own] of Object.entries(MODULES)) {
      if (!listed.has(name)) conversion.setRpc(["modules", own, "enabled"], false);
    }
  } else conversion.remark(found, "expected an object or a list");
  for (const [name, value] of listed) convertModule({ name: `${found.name}.${name}`, value }, name, conversion);
}

function convertModule(found: Found, name: string, conversion: Conversion): void {
  const own = Object.hasOwn(MODULES, name) ? MODULES[name]! : undefined;
  if (own === undefined) {
    conversion.remark(found, "there is no such module");
    return;
  }
  const set = (member: string, value: unknown) => conversion.setRpc(["modules", own, member], value);
  const enabled = memberOf(found.value, "enabled");
  if (enabled !== undefined) set("enabled", booleanOf(enabled) ?? false);
  const version = memberOf(found.value, "version");
  if (version !== undefined) set("version", textOf(version) ?? "1.0");
  const timeout = memberOf(found.value, "timeout");
  if (timeout !== undefined) set("timeout", integerOf(timeout) ?? 0);
  const methods = memberOf(found.value, "methods");
  if (methods === undefined) return;
  for (const [theirs, ours] of [
    ["enabled", "enabledMethods"],
    ["disabled", "disabledMethods"],
  ] as const) {
    const value = memberOf(methods, theirs);
    if (value === undefined) continue;
    const names = knownMethods({ name: `${found.name}.methods.${theirs}`, value }, conversion);
    // An empty list would enable all methods.
    if (names.length > 0) set(ours, names);
    else if (theirs === "enabled" && !isEmptyList(value)) set("enabled", false);
  }
  convertTimeouts(found, own, methods, conversion);
}

function isEmptyList({ content }: HoconValue): boolean {
  return Array.isArray(content) && content.length === 0;
}

function knownMethods(found: Found, conversion: Conversion): string[] {
  const names = (wordsOf(found.value) ?? []).map((name) => name.replace(/^rsk_/, "chain_"));
  const known = [...new Set(names)].filter((name) => KNOWN.has(name));
  if (known.length < names.length) conversion.remark(found, "contains methods that are not served here, left out");
  return known;
}

function convertTimeouts(found: Found, module: string, methods: HoconValue, conversion: Conversion): void {
  const timeouts = memberOf(methods, "timeout")?.content;
  if (!(timeouts instanceof Map)) return;
  for (const [name, value] of timeouts as ReadonlyMap<string, HoconValue>) {
    const milliseconds = integerOf(value);
    const method = name.replace(/^[a-z\d]+_/, "");
    if (milliseconds !== undefined && KNOWN.has(`${module}_${method}`)) {
      conversion.setRpc(["modules", module, "methodTimeouts", method], milliseconds);
    } else conversion.remark({ name: `${found.name}.methods.timeout.${name}`, value }, "no such method, or no number");
  }
}
