import type { Database } from "@cambium/database";
import { equalBytes, keccak256 } from "@cambium/primitives";
import { isCodeKey } from "@cambium/state";
import { HashSet, type StoredEntry, storedEntries, TrieError } from "@cambium/trie";
import { ChainError } from "../errors.js";
import { TABLES } from "../store/tables.js";
import { decodeRecord, type FlatRecord } from "./flat-record.js";
import type { BlockState } from "./flat-state.js";
import { FlatStates } from "./flat-states.js";
import { hashInReference, lengthInReference } from "./flat-tables.js";
import type { BestState, StateSource } from "./stored-states.js";

/** A fault of the state in the flat layout. */
export interface FlatStateFault {
  what: /** Which block's trie is stored; the key is its hash, or the best block's. */
    | "trie"
    /** Node of that trie; the key is its hash. */
    | "trie node"
    /** Record of a key, which may differ from the value in that trie. */
    | "value"
    | "code"
    /** The state of the best block; the key is its hash. */
    | "best state";
  fault: "missing" | "corrupt" | "unexpected";
  key: Uint8Array;
}

export interface FlatStateCheckOptions {
  source: StateSource;
  best: BestState;
  report: (fault: FlatStateFault) => void;
  /** Called for each value. */
  onValue?: () => void;
  signal?: AbortSignal | undefined;
}

/**
 * Compares the stored trie with the flat table, checks all codes, and that both lead to the best block's state. Visits each entry once, in
 * the order of keys. Rejects if the database cannot be read, or with the signal's reason.
 */
export async function checkFlatState(database: Database, options: FlatStateCheckOptions): Promise<void> {
  const { source, best, report } = options;
  const states = new FlatStates(source, undefined);
  const trie = attempt(() => states.tables.trieBlock());
  if (trie === undefined) {
    report({ what: "trie", fault: "missing", key: best.hash });
    return;
  }
  const state = states.after(trie, { stateRoot: trie.root, totalDifficulty: 0n });
  if (state === undefined) report({ what: "trie", fault: "corrupt", key: trie.hash });
  else await new Comparison(database, states, options).run(state);
  const bestState = states.after(best, { stateRoot: best.stateRoot, totalDifficulty: 0n });
  if (attempt(() => bestState?.trie()) === undefined) report({ what: "best state", fault: "corrupt", key: best.hash });
  await checkCodes(database, options);
}

async function checkCodes(database: Database, { report, signal }: FlatStateCheckOptions): Promise<void> {
  for await (const { key, value } of database.entries(TABLES.codes)) {
    signal?.throwIfAborted();
    if (!equalBytes(keccak256(value), key)) report({ what: "code", fault: "corrupt", key: key.slice() });
  }
}

/** Goes through the trie and the flat table, which have the same order, at the same time. */
class Comparison {
  private readonly codes = new HashSet();

  constructor(
    private readonly database: Database,
    private readonly states: FlatStates,
    private readonly options: FlatStateCheckOptions,
  ) {}

  async run(state: BlockState): Promise<void> {
    const trie = storedEntries(this.states.tables.nodes, state.root);
    let next = this.next(trie);
    for await (const { key, value: bytes } of this.database.entries(TABLES.flatState)) {
      this.options.signal?.throwIfAborted();
      this.options.onValue?.();
      const record = attempt(() => decodeRecord(bytes, key));
      const stored = record && attempt(() => ({ value: state.stored(key) }));
      for (; next !== undefined && isBefore(next, key); next = this.next(trie)) this.missing(next, state);
      if (stored === undefined) this.report("value", "corrupt", key);
      else if (next?.kind === "gap" && begins(key, next)) this.code(key, record!);
      else {
        const isInTrie = next?.kind === "value" && equalBytes(next.key, key);
        if (isInTrie !== (stored.value !== undefined)) this.report("value", "unexpected", key);
        else if (isInTrie && !isSame(next as Value, stored.value!)) this.report("value", "corrupt", key);
        this.code(key, record!);
      }
      if (next?.kind === "value" && equalBytes(next.key, key)) next = this.next(trie);
    }
    for (; next !== undefined; next = this.next(trie)) this.missing(next, state);
  }

  private next(trie: Generator<StoredEntry>): StoredEntry | undefined {
    const { value, done } = trie.next();
    if (done) return undefined;
    if (value.kind === "gap") this.report("trie node", "missing", value.hash);
    return value;
  }

  /** Reports a value that has no record, unless the trie is that of a side block that has set the value. */
  private missing(entry: StoredEntry, state: BlockState): void {
    if (entry.kind !== "value") return;
    const stored = attempt(() => state.stored(entry.key));
    if (stored === undefined || !isSame(entry, stored)) this.report("value", "missing", entry.key);
  }

  /** The code that the newest record refers to. */
  private code(key: Uint8Array, { value }: FlatRecord): void {
    if (value.length === 0 || !isCodeKey(key)) return;
    const hash = hashInReference(value);
    if (!this.codes.add(hash)) return;
    if (this.database.get(TABLES.codes, hash) === undefined) this.report("code", "missing", hash);
  }

  private report(what: FlatStateFault["what"], fault: FlatStateFault["fault"], key: Uint8Array): void {
    this.options.report({ what, fault, key: Uint8Array.from(key) });
  }
}

type Value = Extract<StoredEntry, { kind: "value" }>;

/** Whether a value of the trie is the one that the tables have. */
function isSame({ key, value, hash, length }: Value, stored: Uint8Array): boolean {
  if (!isCodeKey(key)) return value === undefined ? equalBytes(keccak256(stored), hash!) : equalBytes(value, stored);
  return lengthInReference(stored) === length && equalBytes(hashInReference(stored), hash ?? keccak256(value!));
}

/** Whether all keys of an entry precede a key. */
function isBefore(entry: StoredEntry, key: Uint8Array): boolean {
  if (entry.kind === "value") return Buffer.compare(entry.key, key) < 0;
  return !begins(key, entry) && Buffer.compare(entry.prefix, key) < 0;
}

/** Whether a key is one of those of which the trie says nothing. */
function begins(key: Uint8Array, { prefix, bits }: Extract<StoredEntry, { kind: "gap" }>): boolean {
  if (key.length * 8 < bits) return false;
  const whole = bits >> 3;
  if (!equalBytes(key.subarray(0, whole), prefix.subarray(0, whole))) return false;
  const mask = 0xff00 >> (bits & 7);
  return (((key[whole] ?? 0) ^ (prefix[whole] ?? 0)) & mask & 0xff) === 0;
}

/** Undefined if the database is damaged. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ChainError || error instanceof TrieError) return undefined;
    throw error;
  }
}
