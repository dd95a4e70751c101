import {
  type BlockId,
  type ChainStore,
  clearTable,
  decodeDiff,
  decodeRecord,
  encodeRecord,
  FACTS,
  type FlatRecord,
  FlatTables,
  hashInReference,
  hasState,
  isCellKey,
  isTombstoneKey,
  nextRecord,
  numberInId,
  pinnedKey,
  type StorageIds,
  storedPlaces,
  TABLES,
} from "@cambium/chain-store";
import { type Database, mapKey, numberKey, readNumber, type Write } from "@cambium/database";
import { equalBytes } from "@cambium/primitives";
import { isCodeKey } from "@cambium/state";
import { Trie, TrieError } from "@cambium/trie";
import { BoundedWriter } from "./bounded-writer.js";
import { CodeCheck } from "./flat-values.js";
import { attempt } from "./sound-blocks.js";

/**
 * Returns the keys that a block has changed, with their previous values; undefined if the diff is missing or damaged.
 */
function replacedBy(database: Database, number: number): Replaced[] | undefined {
  const diff = database.get(TABLES.stateDiffs, numberKey(number));
  if (diff === undefined) return undefined;
  return attempt(() =>
    Array.from(decodeDiff(diff, number), ({ key, bytes }) => ({
      key: key.slice(),
      bytes: bytes?.slice(),
      record: bytes && decodeRecord(bytes, key),
    })),
  );
}

interface Replaced {
  key: Uint8Array;
  bytes: Uint8Array | undefined;
  record: FlatRecord | undefined;
}

/** Whether all diffs of the blocks above `from`, up to `to`, can be read. */
export function hasDiffs(database: Database, from: number, to: number): boolean {
  for (let number = to; number > from; number--) if (replacedBy(database, number) === undefined) return false;
  return true;
}

/** Reverts the flat table to an earlier block of the best chain, as far as the diffs of the later ones are stored. */
export async function unwindValues(database: Database, from: number, to: number): Promise<void> {
  const writer = new BoundedWriter(database);
  for (let number = from; number > to; number--) {
    for (const { key, bytes } of replacedBy(database, number) ?? []) {
      writer.add({ table: TABLES.flatState, key, value: bytes });
    }
    writer.add({ table: TABLES.stateDiffs, key: numberKey(number), value: undefined });
    if (writer.isFull) await writer.flush();
  }
  await writer.flush();
}

/** Number under which nodes of old tries are kept for the time of the verification. */
const SCRATCH = Number.MAX_SAFE_INTEGER;
/** Number of changed keys after which the nodes of the old trie leave the memory. */
const BATCH_KEYS = 5_000;
/** Different keys that the history may have: each takes some 150 bytes. */
const MAX_KEYS = 1_000_000;

export interface HistoryOptions {
  database: Database;
  store: ChainStore;
  /** Block to which the flat table and the stored trie belong, and the root of its state. */
  block: BlockId;
  root: Uint8Array;
  /** Number of the lowest block whose state may be readable. */
  oldest: number;
  /** Called with the number of blocks done and the maximum number of blocks. */
  onBlock: (done: number, total: number) => void;
}

/**
 * Undoes the blocks of the history one after the other, in memory, and compares the root with that of each parent.
 * Keeps the part of the history that is complete and right, as far as no tombstone was set. Makes the records in the
 * flat table refer to that part, and deletes all other diffs. Resolves to the number of the oldest block whose state
 * can be read.
 */
export async function verifyHistory(options: HistoryOptions): Promise<number> {
  const { database, block, oldest, onBlock } = options;
  const verification = new Verification(options);
  let { number, hash } = block;
  for (; number > oldest; number--) {
    const parentHash = verification.undo(number, hash);
    if (parentHash === undefined) break;
    hash = parentHash;
    await verification.writeIfFull();
    onBlock(block.number - number + 1, block.number - oldest);
  }
  await verification.finish();
  await removeDiffs(database, number, block.number);
  const value = number === 0 ? undefined : numberKey(number);
  await database.write([{ table: TABLES.facts, key: FACTS.oldestState, value }]);
  return number;
}

class Verification {
  private readonly tables: FlatTables;
  private readonly codes: CodeCheck;
  private readonly writer: BoundedWriter;
  private trie: Trie;
  private changed = 0;
  /** Block that made the version of each key seen so far, at this height. */
  private readonly madeBy = new Map<string, number>();
  private readonly ids: StorageIds = (key) => this.tables.newestId(key);

  constructor(private readonly options: HistoryOptions) {
    const { database, root } = options;
    this.tables = new FlatTables(database);
    this.codes = new CodeCheck(database);
    this.writer = new BoundedWriter(database);
    this.trie = this.open(root);
  }

  /** Undoes a block; returns its parent's hash, or undefined if the state after that does not follow. */
  undo(number: number, hash: Uint8Array): Uint8Array | undefined {
    const { database, store } = this.options;
    const parentHash = store.header(hash)?.parentHash;
    const parent = parentHash && store.outcome(parentHash);
    const replaced = replacedBy(database, number);
    if (parent === undefined || !hasState(parent) || replaced === undefined) return undefined;
    // Hidden cells cannot be proved.
    if (replaced.some(({ key }) => isTombstoneKey(key))) return undefined;
    const corrections: Write[] = [];
    for (const one of replaced) {
      const correction = this.newest(one, number);
      if (correction === "contradiction" || this.madeBy.size > MAX_KEYS) return undefined;
      if (correction !== undefined) corrections.push(correction);
    }
    const root = this.rootBefore(replaced);
    if (root === undefined || !equalBytes(root, parent.stateRoot)) return undefined;
    for (const { key, record } of replaced) this.madeBy.set(mapKey(key), record?.changed ?? -1);
    for (const write of corrections) this.writer.add(write);
    this.changed += replaced.length;
    return parentHash;
  }

  /**
   * Returns the change that gives the flat table its record of a key. Undefined if the table has it, or if a later diff
   * refers to this block; `contradiction` if that diff refers to another one.
   */
  private newest({ key, record: before }: Replaced, number: number): Write | "contradiction" | undefined {
    const made = this.madeBy.get(mapKey(key));
    if (made !== undefined) return made === number ? undefined : "contradiction";
    const record = attempt(() => this.tables.record(key));
    if (record?.changed === number) return undefined;
    const value = encodeRecord(nextRecord(before, number, record?.value, this.options.oldest));
    return { table: TABLES.flatState, key, value };
  }

  /** Undefined if nodes or codes are missing. */
  private rootBefore(replaced: readonly Replaced[]): Uint8Array | undefined {
    try {
      for (const { key, record } of replaced) {
        const stored = record && this.isHidden(key, record) ? undefined : record?.value;
        const value = stored?.length && isCodeKey(key) ? this.codes.get(hashInReference(stored)) : stored;
        if (stored !== undefined && value === undefined) return undefined;
        this.trie.put(key, value);
      }
      return this.trie.hash();
    } catch (error) {
      if (error instanceof TrieError) return undefined;
      throw error;
    }
  }

  /** No tombstone is above this height. */
  private isHidden(key: Uint8Array, { changed }: FlatRecord): boolean {
    const id = isCellKey(key) ? this.tables.newestId(key) : undefined;
    return id !== undefined && changed < numberInId(id);
  }

  async writeIfFull(): Promise<void> {
    if (this.writer.isFull) await this.writer.flush();
    if (this.changed < BATCH_KEYS) return;
    const storedPlace = storedPlaces(this.ids);
    const root = this.trie.saveByPlace({
      put: (place, value) => {
        if (value === undefined) return;
        this.writer.add({ table: TABLES.pinnedNodes, key: pinnedKey(SCRATCH, storedPlace(place)), value });
      },
    });
    await this.writer.flush();
    this.trie = this.open(root);
    this.changed = 0;
  }

  async finish(): Promise<void> {
    await this.writer.flush();
    await clearTable(this.options.database, TABLES.pinnedNodes);
  }

  private open(root: Uint8Array): Trie {
    return new Trie(this.tables.nodesOf(this.ids, [{ number: SCRATCH, hash: root, root }]), root);
  }
}

/** Removes the diffs of blocks outside of the history, and those of all blocks that are not on the best chain. */
async function removeDiffs(database: Database, oldest: number, best: number): Promise<void> {
  const writer = new BoundedWriter(database);
  for await (const { key } of database.entries(TABLES.stateDiffs)) {
    const number = readNumber(key, 0);
    if (number > oldest && number <= best) continue;
    writer.add({ table: TABLES.stateDiffs, key: key.slice(), value: undefined });
    if (writer.isFull) await writer.flush();
  }
  await writer.flush();
  await clearTable(database, TABLES.sideDiffs);
}
