import type { KeyValueReader } from "@cambium/database";
import type { NodeCache } from "@cambium/trie";
import { ChainError } from "../errors.js";
import { FACTS, STATE_LAYOUTS, TABLES } from "../tables/tables.js";
import { ArchiveStates } from "./archive-states.js";
import type { FlatStateOptions } from "./flat-state-options.js";
import { FlatStateWriter } from "./flat-state-writer.js";
import { FlatStates } from "./flat-states.js";
import type { BestState, StateLayout, StateSource, StateWriter, StoredStates } from "./stored-states.js";

/** Returns the layout of a database. Throws {@link ChainError} `DATABASE_DAMAGED` if the database does not name it. */
export function layoutOf(reader: KeyValueReader): StateLayout {
  const stored = reader.get(TABLES.facts, FACTS.layout);
  const layout = stored && STATE_LAYOUTS[stored[0]!];
  if (layout === undefined) throw new ChainError({ code: "DATABASE_DAMAGED", what: "state layout", key: FACTS.layout });
  return layout;
}

/** Opens the states of a database for reading. Throws as {@link layoutOf} does. */
export function openStates(source: StateSource, cache: NodeCache | undefined): StoredStates {
  return layoutOf(source.reader) === "flat" ? new FlatStates(source, cache) : new ArchiveStates(source, cache);
}

/**
 * Opens the states of a database for the thread that imports. Throws as {@link layoutOf} and {@link FlatStateWriter}
 * do.
 */
export function openStateWriter(
  source: StateSource,
  cache: NodeCache,
  best: BestState,
  options: FlatStateOptions,
): StateWriter {
  if (layoutOf(source.reader) === "archive") return new ArchiveStates(source, cache);
  return new FlatStateWriter(source, cache, best, options);
}
