import { CliError } from "../errors.js";
import type { Flag, Flags, Given } from "../flags/flag.js";

/** A flag of `start`, as files and environment variables name it. */
export interface Setting {
  /** Name of the flag: `http.port`. */
  name: string;
  /**
   * Name in a file: `http.port`; `p2p.enabled` for the flag `--p2p`, because there are flags `--p2p.…`;
   * `replicate.servers` for `--replicate <servers>`, likewise.
   */
  key: string;
  /** Name of its environment variable. */
  variable: string;
  flag: Flag;
}

/** Flags that name the source of settings, or control how a command uses them. */
const NO_SETTINGS: readonly string[] = ["config", "json"];

/** The settings in a table of flags. */
export function settingsOf(flags: Flags): Setting[] {
  const names = Object.keys(flags).filter((name) => !NO_SETTINGS.includes(name));
  return names.map((name) => {
    const flag = flags[name]!;
    const isParent = names.some((other) => other.startsWith(`${name}.`));
    const key = isParent ? `${name}.${flag.value ?? "enabled"}` : name;
    return { name, key, variable: variableOf(name), flag };
  });
}

/** `CAMBIUM_HTTP_PORT` for `http.port`. */
export function variableOf(name: string): string {
  return `CAMBIUM_${name.toUpperCase().replaceAll(/[.-]/g, "_")}`;
}

/** Why a setting refuses a value; undefined if it accepts the value. */
export function refusal({ name, flag }: Setting, value: Given): CliError | undefined {
  try {
    flag.parse(value, `--${name}`);
    return undefined;
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}
