import type { NetworkConfig } from "@cambium/config";
import type { StateOptions } from "@cambium/node/options";
import { invalid } from "./errors.js";
import { grouped, integer, parsed, toggle, type Values } from "./flags/flag.js";

/** Number of blocks whose states main keeps by default: a month. */
const MAIN_HISTORY = 90_000;
/** Least number of blocks to keep, for reorganisations and snapshots; the import never keeps fewer. */
const MIN_BLOCKS = 10_000;
/** Blocks of a year, one every 25 seconds. */
const YEAR = 1_260_000;

/** Flags for the storage of states and blocks. */
export const STATE_FLAGS = grouped("Storage", {
  "state.archive": toggle("create the database so that it stores the state trie of every block (see docs/storage.md)"),
  "state.history": parsed(
    "blocks",
    "number of latest blocks whose states remain readable, or all (default: all, on main 90000)",
    parseHistory,
    { type: "integer or text" },
  ),
  "history.blocks": integer(
    "n",
    "drop blocks older than the n latest ones, at least 10000, except for their headers (default: keep all blocks)",
    { min: MIN_BLOCKS },
  ),
  prune: toggle(`drop blocks that are older than a year: --history.blocks ${YEAR}`),
});

type StateFlags = Values<typeof STATE_FLAGS>;

export function stateOptions(
  flags: Pick<StateFlags, "state.history"> & Partial<Omit<StateFlags, "state.history">>,
  network: NetworkConfig,
): StateOptions {
  const history = flags["state.history"] ?? (network.name === "main" ? MAIN_HISTORY : "all");
  return {
    layout: flags["state.archive"] ? "archive" : undefined,
    history: history === "all" ? undefined : history,
    blocks: keptBlocks(flags),
  };
}

/** Number of latest blocks that are kept; undefined: all. */
export function keptBlocks(flags: Partial<StateFlags>): number | undefined {
  return flags["history.blocks"] ?? (flags.prune ? YEAR : undefined);
}

function parseHistory(text: string, option: string): number | "all" {
  if (text === "all") return text;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw invalid(option, text, "a number of blocks, or all");
}
