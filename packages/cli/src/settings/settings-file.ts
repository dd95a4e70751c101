import { parse, TomlError } from "smol-toml";
import { CliError, type FileProblem } from "../errors.js";
import { readText } from "../options.js";
import type { Setting, SettingType } from "./settings.js";

/** A value of a file, as the flag has it: text, or whether a switch is on. */
export interface FileValue {
  setting: Setting;
  value: string | boolean;
  line: number;
}

/** Edits after which a name is no longer taken for another one misspelt. */
const MAX_EDITS = 3;

/**
 * The settings of a TOML file. Throws {@link CliError} `FILE_NOT_FOUND` or `FILE_UNREADABLE`, or `CONFIG_FILE` with all unknown keys and
 * values of wrong types.
 */
export function readSettings(path: string, settings: readonly Setting[]): FileValue[] {
  const text = readText(path);
  const problems: FileProblem[] = [];
  const values: FileValue[] = [];
  for (const [key, found] of entries(parseToml(path, text))) {
    const line = lineOf(text, key);
    const setting = settings.find((one) => one.key === key);
    const value = setting && flagValue(setting.type, found);
    if (setting === undefined) problems.push({ line, reason: unknownKey(key, settings) });
    else if (value === undefined) problems.push({ line, reason: wrongType(setting, found) });
    else if (setting.choices?.includes(String(value)) === false) {
      problems.push({ line, reason: `${key}: expected one of ${setting.choices.join(", ")}` });
    } else values.push({ setting, value, line });
  }
  if (problems.length > 0) throw new CliError({ code: "CONFIG_FILE", path, problems });
  return values;
}

function parseToml(path: string, text: string): object {
  try {
    return parse(text, { integersAsBigInt: true });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split("\n")[0]!.replace(/^Invalid TOML document: /, "");
    throw new CliError({ code: "CONFIG_FILE", path, problems: [{ line: error.line, reason }] });
  }
}

/** All values by their whole key. */
function entries(table: object, prefix = ""): [key: string, value: unknown][] {
  return Object.entries(table).flatMap(([name, value]): [string, unknown][] =>
    isTable(value) ? entries(value, `${prefix}${name}.`) : [[`${prefix}${name}`, value]],
  );
}

function isTable(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Undefined if the value has another type. */
function flagValue(type: SettingType, value: unknown): string | boolean | undefined {
  if (type === "boolean") return typeof value === "boolean" ? value : undefined;
  if (type.startsWith("integer") && typeof value === "bigint") return String(value);
  if (type === "list" && Array.isArray(value) && value.every((item) => typeof item === "string"))
    return value.join(" ");
  return type !== "integer" && typeof value === "string" ? value : undefined;
}

const EXPECTED: Readonly<Record<SettingType, string>> = {
  boolean: "true or false",
  integer: "an integer",
  "integer or text": "an integer or a string",
  list: "a list of strings",
  text: "a string",
};

/** The value is not shown: it may be a secret. */
function wrongType({ key, type }: Setting, value: unknown): string {
  const found = Array.isArray(value) ? "a list" : value instanceof Date ? "a date" : FOUND[typeof value];
  return `${key}: expected ${EXPECTED[type]}, found ${found ?? "something else"}`;
}

const FOUND: Readonly<Record<string, string>> = {
  string: "a string",
  boolean: "a boolean",
  bigint: "an integer",
  number: "a fraction",
};

function unknownKey(key: string, settings: readonly Setting[]): string {
  const near = settings
    .map((setting) => ({ name: setting.key, edits: key === parentOf(setting.key) ? 0 : edits(key, setting.key) }))
    .reduce((best, one) => (one.edits < best.edits ? one : best));
  return `unknown key ${key}${near.edits <= MAX_EDITS ? `; did you mean ${near.name}?` : ""}`;
}

/** `mine` of `mine.enabled`. */
function parentOf(key: string): string | undefined {
  return key.endsWith(".enabled") ? key.slice(0, -".enabled".length) : undefined;
}

/** Letters to insert, delete or replace. */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}

/** The line that sets a key, from 1: the parser does not say. Keys in an inline table have the line of the table. */
function lineOf(text: string, key: string): number {
  let table = "";
  let nearest = 1;
  for (const [index, line] of text.split("\n").entries()) {
    const header = /^\s*\[\s*([^\]]+?)\s*\]/.exec(line)?.[1];
    const name = /^\s*([^=#[]+?)\s*=/.exec(line)?.[1];
    if (header !== undefined) table = `${header}.`.replaceAll(/["'\s]/g, "");
    if (name === undefined) continue;
    const full = table + name.replaceAll(/["'\s]/g, "");
    if (full === key) return index + 1;
    if (key.startsWith(`${full}.`)) nearest = index + 1;
  }
  return nearest;
}
