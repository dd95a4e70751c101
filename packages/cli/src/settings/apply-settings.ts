import { basename } from "node:path";
import type { Command } from "commander";
import { flagsOf, setGiven } from "../flags/command-flags.js";
import type { Given } from "../flags/flag.js";
import { START_FLAGS } from "../start-flags.js";
import { nearest } from "./nearest.js";
import { type Setting, settingsOf, variableOf } from "./settings.js";
import { readSettings } from "./settings-file.js";

/** Origins of values that no flag has set, by flag: `--http.port` → `node.toml, line 3`. */
export type Origins = ReadonlyMap<string, string>;

const ORIGINS = new WeakMap<Command, Origins>();

/** The origins of the values that {@link applySettings} has given a command. */
export function originsOf(command: Command): Origins {
  return ORIGINS.get(command) ?? new Map();
}

/** All settings that a file may contain. */
export function allSettings(): Setting[] {
  return settingsOf(START_FLAGS);
}

/**
 * Sets the values of the environment and of the file of `--config` on a command that has not been parsed yet, so that
 * flags override them. The command ignores values without a flag. Throws `CliError` `INVALID_OPTION`, or as
 * `readSettings`.
 */
export function applySettings(
  command: Command,
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Origins {
  const origins = new Map<string, string>();
  const own = settingsOf(flagsOf(command));
  const set = ({ name }: Setting, given: Given, source: string, origin: string) => {
    setGiven(command, name, given, source);
    origins.set(`--${name}`, origin);
  };
  const path = fileOf(argv) ?? (environment[variableOf("config")] || undefined);
  for (const { setting, value, line } of path === undefined ? [] : readSettings(path, allSettings())) {
    const same = own.find(({ name }) => name === setting.name);
    if (same !== undefined) set(same, value, "config", `${basename(path!)}, line ${line}`);
  }
  for (const setting of own) {
    const { flag, variable } = setting;
    const text = environment[variable];
    if (text === undefined || text === "") continue;
    const given = flag.type === "boolean" ? (flag.parse(text, variable) as boolean) : text;
    set(setting, given, "env", variable);
  }
  ORIGINS.set(command, origins);
  return origins;
}

/** Returns a line for each unknown variable of the environment that looks like a setting. */
export function unknownVariables(command: Command, environment: NodeJS.ProcessEnv = process.env): string[] {
  const settings = [...allSettings(), ...settingsOf(flagsOf(command))];
  const known = [variableOf("config"), ...settings.map(({ variable }) => variable)];
  const unknown = Object.keys(environment).filter((name) => name.startsWith("CAMBIUM_") && !known.includes(name));
  return unknown.map((name) => {
    const near = nearest(name, known);
    return `${name} in the environment is not a setting${near === undefined ? "" : `; did you mean ${near}?`}`;
  });
}

function fileOf(argv: readonly string[]): string | undefined {
  const index = argv.findIndex((argument) => argument === "--config" || argument.startsWith("--config="));
  if (index < 0) return undefined;
  return argv[index] === "--config" ? argv[index + 1] : argv[index]!.slice("--config=".length);
}
