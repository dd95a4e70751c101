import {
  type BestState,
  type BlockState,
  ChainError,
  decodeRecord,
  decodeTombstone,
  type FlatRecord,
  FlatStates,
  hashInReference,
  isTombstoneKey,
  MANY_DIFFERENCES,
  type StateSource,
  TABLES,
} from "@cambium/chain-store";
import type { Database } from "@cambium/database";
import { equalBytes, keccak256 } from "@cambium/primitives";
import { isCodeKey } from "@cambium/state";
import { HashSet, TrieError } from "@cambium/trie";
import { type ComparedKey, compareWithTrie, isSameValue, type TrieValue } from "./compare-with-trie.js";

/** A fault of the state in the flat layout. */
export interface FlatStateFault {
  what: /** Reference to the stored trie; the key is the hash of its block, or of the best one. */
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
 * Compares the stored trie with the flat table, checks all codes, and that both lead to the best block's state. Visits
 * each entry once, in the order of keys. Rejects if the database cannot be read, or with the signal's reason.
 */
export async function checkFlatState(database: Database, options: FlatStateCheckOptions): Promise<void> {
  const { source, best, report } = options;
  const states = new FlatStates(source, undefined, MANY_DIFFERENCES);
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

class Comparison {
  private readonly codes = new HashSet();

  constructor(
    private readonly database: Database,
    private readonly states: FlatStates,
    private readonly options: FlatStateCheckOptions,
  ) {}

  async run(state: BlockState): Promise<void> {
    for await (const found of compareWithTrie(this.database, this.states.nodesAt(state.block), state.root)) {
      this.options.signal?.throwIfAborted();
      if (found.kind === "gap") this.report("trie node", "missing", found.hash);
      else if (found.stored === undefined) this.missing(found.value!, state);
      else {
        this.options.onValue?.();
        this.compare(found, found.stored, state);
      }
    }
  }

  private compare({ key, value, isInGap }: ComparedKey, bytes: Uint8Array, state: BlockState): void {
    const record = attempt(() => decodeRecord(bytes, key));
    const stored = record && attempt(() => ({ value: state.stored(key) }));
    const isTombstone = isTombstoneKey(key);
    const isSound = !isTombstone || attempt(() => decodeTombstone(record!.value, key)) !== undefined;
    if (stored === undefined || !isSound) {
      this.report("value", "corrupt", key);
      return;
    }
    if (!isInGap && !isTombstone) {
      if ((value !== undefined) !== (stored.value !== undefined)) this.report("value", "unexpected", key);
      else if (value !== undefined && !isSameValue(value, stored.value!)) this.report("value", "corrupt", key);
    }
    this.code(key, record!);
  }

  /** Reports a value that has no record, unless the trie is that of a side block that has set the value. */
  private missing(value: TrieValue, state: BlockState): void {
    const stored = attempt(() => state.stored(value.key));
    if (stored === undefined || !isSameValue(value, stored)) this.report("value", "missing", value.key);
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

/** Undefined if the database is damaged. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ChainError || error instanceof TrieError) return undefined;
    throw error;
  }
}
