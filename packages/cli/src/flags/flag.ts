import { existsSync } from "node:fs";
import { CliError, invalid } from "../errors.js";

/** Types of a setting in a file. */
export type ValueType = "boolean" | "integer" | "integer or text" | "list" | "text";

/** Value of a flag in a command line, a variable or a file: a text, the texts of a list, or the state of a switch. */
export type Given = string | boolean | readonly string[];

/**
 * A flag of a command, as a row of a table where its name is the key: `http.port` for `--http.port`. The option, its
 * type, the key of a file, the variable and docs/configuration.md follow from it.
 */
export interface Flag<T = unknown> extends RowOptions {
  /** Name of the value in the help: `port`; undefined for a switch. */
  value: string | undefined;
  help: string;
  /** Help of `--no-<name>`, for a switch that is shown in this form. */
  offHelp?: string;
  type: ValueType;
  /** Heading in the help of a command that has many flags. */
  group?: string;
  /** The value. Throws {@link CliError} `INVALID_OPTION`; `option` is named in it. */
  parse(given: Given, option: string): T;
}

/** Parts of a row that most flags do not have. */
export interface RowOptions {
  /** Default, as a user writes it. It is unset if it depends on the network; the help then describes it. */
  default?: string;
  isRequired?: boolean;
  /** Name of a flag that cannot be used with this one. */
  conflicts?: string;
  choices?: readonly string[];
}

/** A table of flags. */
export type Flags = Readonly<Record<string, Flag>>;

/** The values of a table of flags; undefined for those that are not given and have no default. */
export type Values<F extends Flags> = { [N in keyof F]: F[N] extends Flag<infer T> ? T : never };

type Value<T, O> = O extends { default: string } | { isRequired: true } ? T : T | undefined;

/** A flag with a value that `read` makes of its text. `type` is that in a file. */
export function parsed<T, const O extends RowOptions & { type?: ValueType } = object>(
  value: string,
  help: string,
  read: (text: string, option: string) => T,
  options?: O,
): Flag<Value<T, O>> {
  const parse = (given: Given, option: string) => read(String(given), option) as Value<T, O>;
  return { type: "text", ...options, value, help, parse };
}

export function text<const O extends RowOptions = object>(value: string, help: string, options?: O) {
  return parsed(value, help, (text) => text, options);
}

/** A number from `min`, by default 0, to `max`. */
export function integer<const O extends RowOptions & { min?: number; max?: number } = object>(
  value: string,
  help: string,
  options?: O,
) {
  const { min, max, ...row } = { min: 0, max: Number.MAX_SAFE_INTEGER, ...options };
  const read = (text: string, option: string) => parseNumber(option, text, max, min);
  return parsed(value, help, read, { ...row, type: "integer" } as O & { type: "integer" });
}

/** The name or address of a machine; an IPv6 address may stand in brackets, as in a URL. */
export function host<const O extends RowOptions = object>(help: string, options?: O) {
  return parsed("host", help, withoutBrackets, options);
}

/** `::1` for `[::1]`. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*:.*)\]$/, "$1");
}

export const MAX_PORT = 65_535;

export function port<const O extends RowOptions = object>(help: string, options?: O) {
  return integer("port", help, { ...options, max: MAX_PORT } as O & { max: number });
}

export function choice<const C extends string, const O extends RowOptions = object>(
  value: string,
  choices: readonly C[],
  help: string,
  options?: O,
): Flag<Value<C, O>> {
  return parsed(value, help, read, { ...options, choices } as O & { choices: readonly C[] });

  function read(text: string, option: string): C {
    if (choices.includes(text as C)) return text as C;
    throw invalid(option, text, `one of ${choices.join(", ")}`);
  }
}

/** A list: the flag can be repeated, and has several words, separated by spaces or commas. Each item counts once. */
export function list<const O extends RowOptions = object>(
  value: string,
  help: string,
  options?: O,
): Flag<Value<string[], O>> {
  const parse = (given: Given) => [...new Set(textsOf(given).flatMap(words))] as Value<string[], O>;
  return { ...options, type: "list", value, help, parse };
}

/** Defines a list of files or folders, whose names may contain spaces and commas. */
export function paths(value: string, help: string): Flag<string[] | undefined> {
  const parse = (given: Given) => textsOf(given).flatMap((text) => (existsSync(text) ? [text] : words(text)));
  return { type: "list", value, help, parse };
}

/** A switch that is off by default. */
export function toggle(help: string, options?: RowOptions): Flag<boolean> {
  return { ...options, type: "boolean", value: undefined, help, parse: parseSwitch };
}

/** A switch that is on by default, and shown as `--no-<name>`. */
export function onByDefault(offHelp: string): Flag<boolean> {
  return { type: "boolean", value: undefined, help: "", offHelp, default: "true", parse: parseSwitch };
}

/** Defines a switch whose default depends on the rest of the configuration. */
export function eitherWay(help: string, offHelp: string): Flag<boolean | undefined> {
  return { type: "boolean", value: undefined, help, offHelp, parse: parseSwitch };
}

/** Shows flags below a heading of the help. */
export function grouped<F extends Flags>(group: string, flags: F): F {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, { ...flag, group }])) as unknown as F;
}

/** Parses the values of a table of flags, by their names. Throws {@link CliError} `INVALID_OPTION`. */
export function valuesOf<F extends Flags>(flags: F, given: { readonly [N in keyof F]?: Given | undefined }): Values<F> {
  const values = Object.entries(flags).map(([name, flag]) => {
    const found = given[name] ?? flag.default ?? (isToggle(flag) ? false : undefined);
    return [name, found === undefined ? undefined : flag.parse(found, `--${name}`)];
  });
  return Object.fromEntries(values) as Values<F>;
}

/** Whether a flag is a switch that only its presence switches on. */
function isToggle({ type, offHelp }: Flag): boolean {
  return type === "boolean" && offHelp === undefined;
}

function parseSwitch(given: Given, option: string): boolean {
  if (given === true || given === "true" || given === "1") return true;
  if (given === false || given === "false" || given === "0") return false;
  throw invalid(option, String(given), "true, 1, false or 0");
}

function textsOf(given: Given): readonly string[] {
  return Array.isArray(given) ? (given as readonly string[]) : [String(given)];
}

/** The items of a list that is written with spaces or commas. */
export function words(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word.length > 0);
}

/** A whole number. Throws {@link CliError} `INVALID_OPTION`. */
export function parseNumber(option: string, text: string, max = Number.MAX_SAFE_INTEGER, min = 0): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${min} on` : `from ${min} to ${max}`;
  throw invalid(option, text, `a whole number ${range}`);
}
