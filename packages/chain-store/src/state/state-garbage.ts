import { type Database, readNumber, type Write } from "@cambium/database";
import { equalBytes } from "@cambium/primitives";
import { TABLES } from "../tables/tables.js";
import { decodeRecord } from "./flat-record.js";
import { accountOf, idInPlace, isCellKey, isStoragePlace, numberInId, type Tombstone } from "./tombstone.js";

/** Number of records, or of nodes, that are removed in one batch. */
const REMOVED_AT_ONCE = 1_000;

/** The states from which garbage is removed. */
export interface TidiedStates {
  /** Number of the lowest block whose trie is pinned. */
  readonly lowestPinned: number;
  /**
   * Returns the tombstone, by its key, after the oldest block whose state can be read. Undefined while a trie may need
   * nodes of the storage before it.
   */
  sweptTombstone(key: Uint8Array): Tombstone | undefined;
  /**
   * Returns changes that remove the records of these keys that are older than a block. Write them in order with those
   * of imports.
   */
  removeOlder(keys: readonly Uint8Array[], number: number): Write[];
}

/**
 * Returns functions whose changes remove the nodes of forgotten tries and the hidden cells and nodes of storages whose
 * destruction has left the history. Call each function when its changes are about to be written: cells may have been
 * written again since it was returned.
 */
export async function* stateGarbage(database: Database, states: TidiedStates): AsyncGenerator<() => Write[]> {
  yield* inSlices(forgottenNodes(database, states.lowestPinned), (keys) => removals(TABLES.pinnedNodes, keys));
  for await (const { key: stored } of database.entries(TABLES.sweptStorages)) {
    const key = stored.slice();
    const tombstone = states.sweptTombstone(key);
    if (tombstone === undefined) continue;
    const account = accountOf(key);
    const { number } = tombstone;
    yield* inSlices(hiddenCells(database, account, number), (cells) => states.removeOlder(cells, number));
    yield* inSlices(formerNodes(database, account, tombstone), (places) => removals(TABLES.trieNodes, places));
    yield () => removals(TABLES.sweptStorages, [key]);
  }
}

async function* forgottenNodes(database: Database, lowestPinned: number): AsyncGenerator<Uint8Array> {
  for await (const { key } of database.entries(TABLES.pinnedNodes)) {
    if (readNumber(key, 0) >= lowestPinned) return;
    yield key.slice();
  }
}

async function* hiddenCells(database: Database, account: Uint8Array, number: number): AsyncGenerator<Uint8Array> {
  for await (const { key, value } of database.entries(TABLES.flatState, account)) {
    const isOwn = isCellKey(key) && equalBytes(accountOf(key), account);
    if (isOwn && decodeRecord(value, key).changed < number) yield key.slice();
  }
}

/** Places of the nodes of all storages of an account that were destroyed up to a tombstone. */
async function* formerNodes(
  database: Database,
  account: Uint8Array,
  { number, id }: Tombstone,
): AsyncGenerator<Uint8Array> {
  for await (const { key: place } of database.entries(TABLES.trieNodes, account)) {
    if (!equalBytes(accountOf(place), account)) continue;
    const own = idInPlace(place);
    const isFormer = own === undefined ? isStoragePlace(place) : numberInId(own) <= number && !equalBytes(own, id);
    if (isFormer) yield place.slice();
  }
}

async function* inSlices(
  keys: AsyncIterable<Uint8Array>,
  removal: (keys: readonly Uint8Array[]) => Write[],
): AsyncGenerator<() => Write[]> {
  let slice: Uint8Array[] = [];
  for await (const key of keys) {
    slice.push(key);
    if (slice.length < REMOVED_AT_ONCE) continue;
    const full = slice;
    slice = [];
    yield () => removal(full);
  }
  if (slice.length > 0) yield () => removal(slice);
}

function removals(table: number, keys: readonly Uint8Array[]): Write[] {
  return keys.map((key) => ({ table, key, value: undefined }));
}
