import { type Command, Option } from "commander";

/**
 * Lets a command that opens the data of a node, or its API keys, take its settings from a file and the environment too,
 * and adds what overrides these: a flag `--no-mine` beside `--mine`, which the help leaves out.
 */
export function addSettingsOptions(command: Command): void {
  const has = (long: string) => command.options.some((option) => option.long === long);
  if ((has("--network") && has("--data-dir")) || has("--rpc.redis")) {
    for (const { long, flags } of [...command.options]) {
      if (flags.includes("<")) continue;
      const opposite = long!.startsWith("--no-")
        ? `--${long!.slice("--no-".length)}`
        : `--no-${long!.slice("--".length)}`;
      if (!has(opposite)) command.addOption(new Option(opposite).hideHelp());
    }
    command.option("--config <file>", "TOML file with settings, which flags and environment variables override");
  }
  for (const one of command.commands) addSettingsOptions(one);
}
