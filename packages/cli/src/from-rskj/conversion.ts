import { explainCliError } from "../errors.js";
import { allSettings } from "../settings/apply-settings.js";
import { refusal } from "../settings/settings.js";
import type { HoconValue } from "./hocon.js";

const SETTINGS = allSettings();

/** A setting of the deployed client's file. */
export interface Found {
  /** `rpc.providers.web.http.port`. */
  name: string;
  value: HoconValue;
}

type TomlValue = string | number | boolean | readonly string[];

/** Characters of an unknown name that are shown. */
const MAX_NAME = 80;

/** Converted settings of a file: settings of this node, members of its JSON-RPC file, and remarks. */
export class Conversion {
  readonly settings = new Map<string, { value: TomlValue; origin: string }>();
  readonly rpc: Record<string, unknown> = {};
  readonly remarks: string[] = [];

  /** A value that a node would refuse is remarked on instead. */
  set(key: string, value: TomlValue, found: Found): void {
    const given = typeof value === "number" ? String(value) : value;
    const refused = refusal(SETTINGS.find((setting) => setting.key === key)!, given);
    if (refused !== undefined) this.remark(found, explainCliError(refused));
    else this.settings.set(key, { value, origin: `${found.name}, line ${found.value.line}` });
  }

  /** Sets a value that the deployed client uses if the file has none. */
  setDefault(key: string, value: TomlValue): void {
    if (!this.settings.has(key)) this.settings.set(key, { value, origin: "default of the deployed client" });
  }

  /** Sets a member of the JSON-RPC file: `logs.maxBlocks`. */
  setRpc(path: readonly string[], value: unknown): void {
    let object = this.rpc;
    for (const name of path.slice(0, -1)) object = (object[name] ??= {}) as Record<string, unknown>;
    object[path.at(-1)!] = value;
  }

  /** The value of the setting is left out: it may be a secret. */
  remark({ name, value }: Found, text: string): void {
    const shown = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
    // Comments of TOML, and terminals, must not contain control characters.
    this.remarks.push(`${shown.replace(/[\p{Cc}\p{Cs}]/gu, "\ufffd")} (line ${value.line}): ${text}`);
  }

  /** The configuration as a file for `--config`. */
  toml(): string {
    const tables = new Map<string, string[]>([["", []]]);
    for (const [key, { value, origin }] of this.settings) {
      const [table, name] = key.includes(".") ? splitKey(key) : ["", key];
      const lines = tables.get(table) ?? [];
      tables.set(table, [...lines, `${name} = ${tomlValue(value)} # ${origin}`]);
    }
    const parts = [...tables].map(([table, lines]) => (table === "" ? lines : [`[${table}]`, ...lines]).join("\n"));
    return [...parts.filter((part) => part !== ""), ...this.rpcComment(), ...this.remarksComment()].join("\n\n");
  }

  private rpcComment(): string[] {
    if (Object.keys(this.rpc).length === 0) return [];
    const json = JSON.stringify(this.rpc, undefined, 2).split("\n");
    const head =
      'Settings of the JSON file of rpc.config: save them as rpc.json, and write config = "rpc.json" below [rpc].';
    return [[head, ...json].map((line) => `# ${line}`).join("\n")];
  }

  private remarksComment(): string[] {
    if (this.remarks.length === 0) return [];
    return [["Not converted:", ...this.remarks.map((line) => `- ${line}`)].map((line) => `# ${line}`).join("\n")];
  }
}

function splitKey(key: string): [table: string, name: string] {
  const dot = key.indexOf(".");
  return [key.slice(0, dot), key.slice(dot + 1)];
}

function tomlValue(value: TomlValue): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  // TOML has no escapes of half characters, and JSON leaves some control characters unescaped.
  return JSON.stringify(value).replace(/\\ud[89a-f][\da-f]{2}|[\u007f-\u009f]/gi, "\ufffd");
}

/** A string, number or boolean as text; undefined for a list or object. */
export function textOf({ content }: HoconValue): string | undefined {
  return typeof content === "string" ? content : undefined;
}

/** Undefined if it is neither. The deployed client reads quoted values too. */
export function booleanOf(value: HoconValue): boolean | undefined {
  const text = textOf(value);
  if (text === "true" || text === "yes" || text === "on") return true;
  return text === "false" || text === "no" || text === "off" ? false : undefined;
}

/** Returns a whole number from 0 on; undefined for any other value. */
export function integerOf(value: HoconValue): number | undefined {
  const text = textOf(value);
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Returns the texts of a list, none of which contains a blank. Undefined for any other value. */
export function wordsOf({ content }: HoconValue): string[] | undefined {
  if (!Array.isArray(content)) return undefined;
  const words = (content as readonly HoconValue[])
    .map(textOf)
    .filter((text) => text !== undefined && /^\S+$/.test(text));
  return words.length === content.length ? (words as string[]) : undefined;
}

/** A member of an object; undefined if there is none. */
export function memberOf({ content }: HoconValue, name: string): HoconValue | undefined {
  return content instanceof Map ? (content as ReadonlyMap<string, HoconValue>).get(name) : undefined;
}
