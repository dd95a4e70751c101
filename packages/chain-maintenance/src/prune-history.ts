import { type ChainOptions, checkedGenesis } from "@cambium/chain";
import {
  ChainError,
  ChainStore,
  FACTS,
  type FlatStateOptions,
  FlatStateWriter,
  historyStart,
  layoutOf,
  TABLES,
} from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import type { Database } from "@cambium/database";
import { NodeCache } from "@cambium/trie";
import { type StoredRange, storedRange } from "./check/stored-range.js";

const CACHED_NODES = 10_000;

export interface PruneOptions {
  network: NetworkConfig;
  database: Database;
  /** Builds block 0 if it is not the network's. */
  genesis?: ChainOptions["genesis"];
  flatState: FlatStateOptions;
  /** Called after each batch with the number of the oldest block whose state can be read, and its final value. */
  onProgress?: (oldest: number, target: number) => void;
  signal?: AbortSignal;
}

/**
 * Shortens the history of states in one run; an import does it step by step. It can be interrupted at any moment.
 * Rejects with {@link ChainError} `STATE_LAYOUT` if the database has no history but the tries of all blocks, with
 * `SNAPSHOT_UNFINISHED`, and as `openChain` does.
 */
export async function pruneHistory(options: PruneOptions): Promise<StoredRange> {
  const { network, database, flatState, onProgress, signal } = options;
  checkedGenesis(database, options);
  const layout = layoutOf(database);
  if (layout !== "flat") throw new ChainError({ code: "STATE_LAYOUT", expected: "flat", actual: layout });
  if (database.get(TABLES.facts, FACTS.snapshotProgress) !== undefined) {
    throw new ChainError({ code: "SNAPSHOT_UNFINISHED" });
  }
  const store = new ChainStore(database, network);
  const hash = store.bestHash();
  const header = hash && store.header(hash);
  const outcome = hash && store.outcome(hash);
  if (header === undefined || outcome === undefined) {
    throw new ChainError({ code: "DATABASE_DAMAGED", what: "best block", key: FACTS.best });
  }
  const { number } = header;
  const best = { number, hash: header.hash, stateRoot: outcome.stateRoot };
  const writer = new FlatStateWriter(store.states, new NodeCache(CACHED_NODES), best, flatState);
  for (let writes = writer.shorten(); writes.length > 0 && !signal?.aborted; writes = writer.shorten()) {
    await database.write(writes);
    onProgress?.(storedRange(database).oldestState, historyStart(number, flatState));
  }
  for await (const removal of writer.garbage(database)) {
    if (signal?.aborted) break;
    await database.write(removal());
  }
  return storedRange(database);
}
