import type { NetworkConfig } from "@cambium/config";
import type { StateOptions } from "@cambium/node/options";
import type { Command } from "commander";
import { CliError } from "./errors.js";

/** Flags for the storage of states, as commander parses them. */
export interface StateFlags {
  "state.archive"?: boolean;
  "state.history"?: string;
}

/** Blocks whose states main keeps by default: a month. */
const MAIN_HISTORY = 90_000;

/** Adds the flags of {@link StateFlags} to a command. */
export function addStateOptions(command: Command): Command {
  return command
    .option(
      "--state.archive",
      "create the database so that it stores the state trie of every block (see docs/storage.md)",
    )
    .option(
      "--state.history <blocks>",
      "number of latest blocks whose states remain readable, or all (default: all, on main 90000)",
    );
}

/** Throws {@link CliError} `INVALID_OPTION`. */
export function stateOptions(flags: StateFlags, network: NetworkConfig): StateOptions {
  const history = flags["state.history"];
  return {
    layout: flags["state.archive"] ? "archive" : undefined,
    history: history === undefined ? defaultHistory(network) : parseHistory(history),
  };
}

function defaultHistory(network: NetworkConfig): number | undefined {
  return network.name === "main" ? MAIN_HISTORY : undefined;
}

function parseHistory(text: string): number | undefined {
  if (text === "all") return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new CliError({
    code: "INVALID_OPTION",
    option: "--state.history",
    value: text,
    expected: "a number of blocks, or all",
  });
}
