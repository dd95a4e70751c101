import type { Command } from "commander";
import { withoutSecrets } from "../secrets.js";
import type { Origins } from "./apply-settings.js";
import { type Setting, settingsOf } from "./settings.js";

/** The values of a command as a TOML file, each with its origin. Passwords, tokens and keys in URLs are left out. */
export function settingsText(command: Command, origins: Origins): string {
  const tables = new Map<string, Setting[]>();
  for (const setting of settingsOf(command)) {
    const table = setting.key.includes(".") ? setting.key.split(".")[0]! : "";
    tables.set(table, [...(tables.get(table) ?? []), setting]);
  }
  const parts = [...tables].map(([table, settings]) => {
    const lines = settings.map((setting) => lineOf(setting, command, origins));
    return [...(table === "" ? [] : [`[${table}]`]), ...lines, ""].join("\n");
  });
  return parts.join("\n");
}

function lineOf(setting: Setting, command: Command, origins: Origins): string {
  const name = setting.key.split(".").slice(1).join(".") || setting.key;
  const value: unknown = command.getOptionValue(setting.attribute);
  const origin = originOf(setting, command, origins);
  return value === undefined
    ? `# ${name}: ${origin === undefined ? "" : `off (${origin}); `}${setting.description}`
    : `${name} = ${tomlValue(setting, value as string | boolean)} # ${origin ?? "default"}`;
}

function originOf({ attribute, flag }: Setting, command: Command, origins: Origins): string | undefined {
  const source = command.getOptionValueSource(attribute);
  return source === "cli" ? "flag" : source === "default" ? undefined : origins.get(flag);
}

function tomlValue({ type }: Setting, value: string | boolean): string {
  if (typeof value === "boolean") return String(value);
  if (type.startsWith("integer") && /^\d+$/.test(value)) return value;
  const text = withoutSecrets(value);
  return JSON.stringify(type === "list" ? text.split(/\s+/).filter((word) => word.length > 0) : text);
}
