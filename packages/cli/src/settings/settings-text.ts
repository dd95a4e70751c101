import type { Command } from "commander";
import { flagsOf, givenOf, sourceOf } from "../flags/command-flags.js";
import type { Given } from "../flags/flag.js";
import { withoutSecrets } from "../secrets.js";
import type { Origins } from "./apply-settings.js";
import { type Setting, settingsOf } from "./settings.js";

/** The values of a command as a TOML file, each with its origin. Passwords, tokens and keys in URLs are left out. */
export function settingsText(command: Command, origins: Origins): string {
  const tables = new Map<string, Setting[]>();
  for (const setting of settingsOf(flagsOf(command))) {
    const table = setting.key.includes(".") ? setting.key.split(".")[0]! : "";
    tables.set(table, [...(tables.get(table) ?? []), setting]);
  }
  const parts = [...tables].map(([table, settings]) => {
    const lines = settings.map((setting) => lineOf(setting, command, origins));
    return [...(table === "" ? [] : [`[${table}]`]), ...lines, ""].join("\n");
  });
  return parts.join("\n");
}

function lineOf({ name, key, flag }: Setting, command: Command, origins: Origins): string {
  const member = key.split(".").slice(1).join(".") || key;
  const given = givenOf(command, name);
  if (given === undefined) return `# ${member}: ${flag.help}`;
  const source = sourceOf(command, name);
  const origin = source === "cli" ? "flag" : (origins.get(`--${name}`) ?? "default");
  return `${member} = ${tomlValue(flag.parse(given, `--${name}`), given)} # ${origin}`;
}

/** Formats a value, which was parsed from the given text. */
function tomlValue(value: unknown, given: Given): string {
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return JSON.stringify(value.map((item) => withoutSecrets(String(item))));
  if (typeof value === "number" || typeof value === "bigint") return String(given);
  return JSON.stringify(withoutSecrets(String(given)));
}
