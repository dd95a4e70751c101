import type { NetworkConfig } from "@cambium/config";
import type { Database, Write } from "@cambium/database";
import { ChainError } from "../errors.js";
import { type ChainOptions, checkedGenesis } from "../open-chain.js";
import { clearTable } from "../state/clear-table.js";
import type { FlatStateOptions } from "../state/flat-state-options.js";
import { layoutOf } from "../state/open-states.js";
import { type StoredRange, storedRange } from "../state/stored-range.js";
import type { StateLayout } from "../state/stored-states.js";
import { READABLE_SCHEMAS, SCHEMA_WRITE, upgradeSchema } from "../store/schema.js";
import { FACTS, STATE_LAYOUTS, TABLES } from "../store/tables.js";
import { FlatCopy } from "./flat-copy.js";
import { packStoredTrie } from "./pack-trie.js";

/** The schema whose databases have the archive layout, without a fact that says so. */
const ARCHIVE_SCHEMA = 1;

/** What is being counted: values of the oldest state, blocks whose changes are copied, nodes that are removed, subtrees that are packed. */
export type MigrationStep = "values" | "blocks" | "removed" | "packed";

export interface MigrationOptions {
  network: NetworkConfig;
  database: Database;
  /** The layout that the database will have. */
  to: StateLayout;
  /** Builds block 0 if it is not the network's. */
  genesis?: ChainOptions["genesis"];
  /** In the flat layout: of which blocks the states remain readable. */
  flatState?: FlatStateOptions;
  /** Called after each batch. `total` is known for blocks only. */
  onProgress?: (step: MigrationStep, done: number, total?: number) => void;
  signal?: AbortSignal;
}

export interface MigrationResult extends StoredRange {
  /** False if it was interrupted; the database can be used as it is, and the next migration continues. */
  isComplete: boolean;
}

/**
 * Converts a database to the newest schema and another layout of states. It can be interrupted at any moment: until everything is
 * copied, the database keeps its layout and is changed by nothing but this. Rejects with {@link ChainError} `STATE_LAYOUT` if the
 * archive layout is asked for and states of old blocks are not stored, `SNAPSHOT_UNFINISHED`, and as `openChain` does.
 */
export async function migrateDatabase(options: MigrationOptions): Promise<MigrationResult> {
  const { database, to } = options;
  checkedGenesis(database, options, [ARCHIVE_SCHEMA, ...READABLE_SCHEMAS]);
  if (database.get(TABLES.facts, FACTS.schema)![0] === ARCHIVE_SCHEMA) {
    await database.write([layoutWrite("archive"), SCHEMA_WRITE]);
  }
  await upgradeSchema(database);
  const layout = layoutOf(database);
  if (to === "archive") {
    if (layout !== to) throw new ChainError({ code: "STATE_LAYOUT", expected: to, actual: layout });
    return { ...storedRange(database), isComplete: true };
  }
  return toFlat(options);
}

async function toFlat(options: MigrationOptions): Promise<MigrationResult> {
  const { network, database, onProgress, signal } = options;
  if (layoutOf(database) === "archive") {
    if (database.get(TABLES.facts, FACTS.snapshotProgress) !== undefined) {
      throw new ChainError({ code: "SNAPSHOT_UNFINISHED" });
    }
    if (!(await new FlatCopy(options).run())) return { ...storedRange(database), isComplete: false };
    await database.write([layoutWrite("flat"), { table: TABLES.facts, key: FACTS.copiedState, value: undefined }]);
  }
  if (database.get(TABLES.facts, FACTS.unpacked) !== undefined) {
    const onPacked = (done: number) => onProgress?.("packed", done);
    const isPacked = await packStoredTrie({ network, database, onProgress: onPacked, signal });
    if (!isPacked) return { ...storedRange(database), isComplete: false };
  }
  let removed = 0;
  await clearTable(database, TABLES.stateNodes, (nodes) => {
    removed += nodes;
    onProgress?.("removed", removed);
    return !signal?.aborted;
  });
  return { ...storedRange(database), isComplete: !signal?.aborted };
}

function layoutWrite(layout: StateLayout): Write {
  return { table: TABLES.facts, key: FACTS.layout, value: Uint8Array.of(STATE_LAYOUTS.indexOf(layout)) };
}
