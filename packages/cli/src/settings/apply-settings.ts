import { basename } from "node:path";
import { Command } from "commander";
import { CliError } from "../errors.js";
import { addStartFlags } from "../start-flags.js";
import { type Setting, settingsOf, variableOf } from "./settings.js";
import { readSettings } from "./settings-file.js";

/** Where the values of a command come from that no flag has set, by flag: `--http.port` → `node.toml, line 3`. */
export type Origins = ReadonlyMap<string, string>;

const ORIGINS = new WeakMap<Command, Origins>();

/** The origins of the values that {@link applySettings} has given a command. */
export function originsOf(command: Command): Origins {
  return ORIGINS.get(command) ?? new Map();
}

/** All settings that a file may contain. */
export function allSettings(): Setting[] {
  return settingsOf(addStartFlags(new Command()));
}

/**
 * Gives a command that has not been parsed yet the values of the environment and of the file of `--config`, so that
 * flags override them. The command takes what it has a flag for. Throws {@link CliError} `INVALID_OPTION`, or as
 * `readSettings`.
 */
export function applySettings(
  command: Command,
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Origins {
  const origins = new Map<string, string>();
  const own = settingsOf(command);
  const set = ({ attribute, flag, isSwitch }: Setting, value: string | boolean, source: string, origin: string) => {
    // What only a flag can switch on is off without it.
    command.setOptionValueWithSource(attribute, value === false && !isSwitch ? undefined : value, source);
    origins.set(flag, origin);
  };
  const path = fileOf(argv) ?? (environment[variableOf("config")] || undefined);
  for (const { setting, value, line } of path === undefined ? [] : readSettings(path, allSettings())) {
    const same = own.find(({ flag }) => flag === setting.flag);
    if (same !== undefined) set(same, value, "config", `${basename(path!)}, line ${line}`);
  }
  for (const setting of own) {
    const text = environment[setting.variable];
    if (text !== undefined && text !== "") set(setting, variableValue(setting, text), "env", setting.variable);
  }
  ORIGINS.set(command, origins);
  return origins;
}

function fileOf(argv: readonly string[]): string | undefined {
  const index = argv.findIndex((argument) => argument === "--config" || argument.startsWith("--config="));
  if (index < 0) return undefined;
  return argv[index] === "--config" ? argv[index + 1] : argv[index]!.slice("--config=".length);
}

/** Throws {@link CliError} `INVALID_OPTION`. */
function variableValue({ type, variable, choices }: Setting, text: string): string | boolean {
  const known = type === "boolean" ? ["true", "1", "false", "0"] : choices;
  if (known?.includes(text) === false) {
    throw new CliError({ code: "INVALID_OPTION", option: variable, value: text, expected: known.join(", ") });
  }
  return type === "boolean" ? text === "true" || text === "1" : text;
}
