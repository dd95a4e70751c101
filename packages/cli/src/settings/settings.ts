import type { Command, Option } from "commander";

/** What a setting holds in a file. A list is written as a flag or variable with spaces between its items. */
export type SettingType = "boolean" | "integer" | "integer or text" | "list" | "text";

/** A flag of `start`, as files and environment variables name it. */
export interface Setting {
  /**
   * Name in a file: `http.port`; `p2p.enabled` for the flag `--p2p`, beside which there are `--p2p.…`;
   * `replicate.servers` for `--replicate <servers>`, likewise.
   */
  key: string;
  /** As a user writes it: `--http.port`, `--no-sync.serve`. */
  flag: string;
  /** Name of its value among the parsed options. */
  attribute: string;
  /** Name of its environment variable. */
  variable: string;
  type: SettingType;
  choices: readonly string[] | undefined;
  description: string;
  /** Undefined if there is none, or if it depends on the network; the description says so then. */
  default: string | boolean | undefined;
  /** Whether a flag can switch it off and on. */
  isSwitch: boolean;
}

/** Types of the values, by the name that a flag's help has for them. */
const TYPES: Readonly<Record<string, SettingType>> = {
  port: "integer",
  n: "integer",
  requests: "integer",
  ms: "integer",
  wei: "integer",
  gas: "integer",
  megabytes: "integer",
  hours: "integer",
  blocks: "integer or text",
  names: "list",
  origins: "list",
  addresses: "list",
  servers: "list",
  multiaddrs: "list",
  enodes: "list",
  list: "list",
  "peer ids": "list",
};

/** Flags that say where settings come from, or what a command does with them. */
const NO_SETTINGS: readonly string[] = ["config", "json"];

/** The settings of a command, in the order of its help. */
export function settingsOf({ options }: Command): Setting[] {
  const visible = options.filter(({ hidden }) => !hidden);
  const names = new Set(visible.map(nameOf));
  const settings = new Map<string, Setting>();
  for (const option of visible) {
    const name = nameOf(option);
    const known = settings.get(name);
    if (NO_SETTINGS.includes(name)) continue;
    if (known !== undefined) known.isSwitch = true;
    else settings.set(name, settingOf(option, name, names));
  }
  return [...settings.values()];
}

function settingOf(option: Option, name: string, names: ReadonlySet<string>): Setting {
  const isParent = [...names].some((other) => other.startsWith(`${name}.`));
  const value = /<([^>]+)>/.exec(option.flags)?.[1];
  return {
    key: isParent ? `${name}.${value ?? "enabled"}` : name,
    flag: option.long!,
    attribute: option.attributeName(),
    variable: variableOf(name),
    type: value === undefined ? "boolean" : (TYPES[value] ?? "text"),
    choices: option.argChoices,
    description: option.description,
    default: option.negate ? true : (option.defaultValue as string | undefined),
    isSwitch: option.negate,
  };
}

/** Without dashes and negation. */
export function nameOf({ long }: Option): string {
  return long!.replace(/^--(no-)?/, "");
}

/** `CAMBIUM_HTTP_PORT` for `http.port`. */
export function variableOf(name: string): string {
  return `CAMBIUM_${name.toUpperCase().replaceAll(/[.-]/g, "_")}`;
}
