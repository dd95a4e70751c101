import type { NetworkConfig } from "@cambium/config";
import type { StateOptions } from "@cambium/node/options";
import { invalid } from "./errors.js";
import { grouped, parsed, toggle, type Values } from "./flags/flag.js";

/** Number of blocks whose states main keeps by default: a month. */
const MAIN_HISTORY = 90_000;

/** Flags for the storage of states. */
export const STATE_FLAGS = grouped("Storage", {
  "state.archive": toggle("create the database so that it stores the state trie of every block (see docs/storage.md)"),
  "state.history": parsed(
    "blocks",
    "number of latest blocks whose states remain readable, or all (default: all, on main 90000)",
    parseHistory,
    { type: "integer or text" },
  ),
});

export function stateOptions(
  flags: Pick<Values<typeof STATE_FLAGS>, "state.history"> & { "state.archive"?: boolean },
  network: NetworkConfig,
): StateOptions {
  const history = flags["state.history"] ?? (network.name === "main" ? MAIN_HISTORY : "all");
  return { layout: flags["state.archive"] ? "archive" : undefined, history: history === "all" ? undefined : history };
}

function parseHistory(text: string, option: string): number | "all" {
  if (text === "all") return text;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw invalid(option, text, "a number of blocks, or all");
}
