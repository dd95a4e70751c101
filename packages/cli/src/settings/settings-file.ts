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

/** Maximum size of a file, in bytes. */
export const MAX_BYTES = 2 ** 20;
/** Further problems of a file are not listed. */
const MAX_PROBLEMS = 20;
/** Characters of an unknown key that are shown. Longer ones are no other key misspelt. */
const MAX_KEY = 80;
/** Edits after which a name is no longer taken for another one misspelt. */
const MAX_EDITS = 3;

/**
 * The settings of a TOML file. Throws {@link CliError} `FILE_NOT_FOUND` or `FILE_UNREADABLE`, or `CONFIG_FILE` with all
 * unknown keys and values of wrong types, up to {@link MAX_PROBLEMS}.
 */
export function readSettings(path: string, settings: readonly Setting[]): FileValue[] {
  const text = readText(path, MAX_BYTES);
  const found = entries(parseToml(path, text));
  const lines = linesOf(text);
  const problems: FileProblem[] = [];
  const values: FileValue[] = [];
  for (const [key, content] of found) {
    if (problems.length === MAX_PROBLEMS) break;
    const line = lineOf(lines, key);
    const setting = settings.find((one) => one.key === key);
    const value = setting && flagValue(setting.type, content);
    if (setting === undefined) problems.push({ line, reason: unknownKey(key, settings) });
    else if (value === undefined) problems.push({ line, reason: wrongType(setting, content) });
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
  if (key.length > MAX_KEY) return `unknown key ${key.slice(0, MAX_KEY)}…`;
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

/** The lines that set keys, from 1: the parser does not say. */
function linesOf(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  let table = "";
  for (const [index, line] of text.split("\n").entries()) {
    const header = /^\s*\[([^\]]+)\]/.exec(line)?.[1];
    const name = /^([^=#[]+)=/.exec(line)?.[1];
    if (header !== undefined) table = `${header}.`.replaceAll(/["'\s]/g, "");
    if (name === undefined) continue;
    const key = table + name.replaceAll(/["'\s]/g, "");
    if (!lines.has(key)) lines.set(key, index + 1);
  }
  return lines;
}

/** The line that sets a key. Keys in an inline table have the line of the table. */
function lineOf(lines: ReadonlyMap<string, number>, key: string): number {
  const exact = lines.get(key);
  if (exact !== undefined) return exact;
  const parts = key.slice(0, MAX_KEY).split(".");
  for (let count = parts.length; count > 0; count--) {
    const line = lines.get(parts.slice(0, count).join("."));
    if (line !== undefined) return line;
  }
  return 1;
}
