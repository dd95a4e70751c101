import { parse, TomlError } from "smol-toml";
import { CliError, type FileProblem } from "../errors.js";
import type { Given, ValueType } from "../flags/flag.js";
import { readText } from "../options.js";
import { MAX_NAME, nearest } from "./nearest.js";
import type { Setting } from "./settings.js";

/** A value of a file, as its flag reads it. */
export interface FileValue {
  setting: Setting;
  value: Given;
  line: number;
}

/** Maximum size of a file, in bytes. */
export const MAX_BYTES = 2 ** 20;
/** Maximum number of problems of a file that are listed. */
const MAX_PROBLEMS = 20;

/**
 * Returns the settings of a TOML file. Throws {@link CliError} `FILE_NOT_FOUND` or `FILE_UNREADABLE`, or `CONFIG_FILE`
 * with all unknown keys and values of wrong types, up to {@link MAX_PROBLEMS}.
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
    const value = setting && flagValue(setting.flag.type, content);
    if (setting === undefined) problems.push({ line, reason: unknownKey(key, settings) });
    else if (value === undefined) problems.push({ line, reason: wrongType(setting, content) });
    else if (setting.flag.choices?.includes(String(value)) === false) {
      problems.push({ line, reason: `${key}: expected one of ${setting.flag.choices.join(", ")}` });
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
    const other = otherFormat(text);
    const reason =
      other === undefined
        ? error.message.split("\n")[0]!.replace(/^Invalid TOML document: /, "")
        : `this looks like ${other}: the file must be TOML, with lines such as network = "main"`;
    throw new CliError({ code: "CONFIG_FILE", path, problems: [{ line: error.line, reason }] });
  }
}

/** Guesses the format of a file that is no TOML, by its first line that is not blank or a comment. */
function otherFormat(text: string): "JSON" | "YAML" | undefined {
  const first = /^(?:\s*#.*\n|\s*\n)*(.*)/.exec(text)![1]!;
  if (/^\s*\{/.test(first)) return "JSON";
  return /^(?:---|[\w.-]+:(?:\s|$))/.test(first) ? "YAML" : undefined;
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
function flagValue(type: ValueType, value: unknown): Given | undefined {
  if (type === "boolean") return typeof value === "boolean" ? value : undefined;
  if (type.startsWith("integer") && typeof value === "bigint") return String(value);
  if (type === "list" && Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  return type !== "integer" && typeof value === "string" ? value : undefined;
}

const EXPECTED: Readonly<Record<ValueType, string>> = {
  boolean: "true or false",
  integer: "an integer",
  "integer or text": "an integer or a string",
  list: "a list of strings",
  text: "a string",
};

/** The value is not shown: it may be a secret. */
function wrongType({ key, flag: { type } }: Setting, value: unknown): string {
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
  if (key.length > MAX_NAME) return `unknown key ${key.slice(0, MAX_NAME)}…`;
  const keys = settings.map((setting) => setting.key);
  const near = keys.find((known) => known === `${key}.enabled`) ?? nearest(key, keys);
  return `unknown key ${key}${near === undefined ? "" : `; did you mean ${near}?`}`;
}

/** Returns the lines that set keys, from 1, which the parser does not report. */
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
  const parts = key.slice(0, MAX_NAME).split(".");
  for (let count = parts.length; count > 0; count--) {
    const line = lines.get(parts.slice(0, count).join("."));
    if (line !== undefined) return line;
  }
  return 1;
}
