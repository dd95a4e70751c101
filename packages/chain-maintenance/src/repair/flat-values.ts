import {
  codeReferenceOf,
  decodeRecord,
  encodeRecord,
  type FlatRecord,
  FlatTables,
  hashInReference,
  TABLES,
} from "@cambium/chain-store";
import type { Database, Write } from "@cambium/database";
import { equalBytes, keccak256 } from "@cambium/primitives";
import { isCodeKey } from "@cambium/state";
import { HashSet } from "@cambium/trie";
import { type ComparedKey, compareWithTrie, isSameValue, type TrieValue } from "../check/compare-with-trie.js";
import { BoundedWriter } from "./bounded-writer.js";
import { HiddenCells } from "./hidden-cells.js";
import { attempt } from "./sound-blocks.js";

/** The state that the flat table should have. */
export interface WantedState {
  /** Number of the block. */
  number: number;
  root: Uint8Array;
  /** Number of the lowest block whose state may remain readable. */
  oldest: number;
}

export interface RestoredValues {
  /** Number of records that were written or removed. */
  restored: number;
  /** Number of parts of the trie that are missing: the values there were not compared. */
  gaps: number;
}

/**
 * Makes the flat table agree with a trie, as far as its nodes are stored; each is verified by its hash. Undefined if
 * that is impossible: a code is missing, or a long value for which the trie has only a hash. Changes of blocks are not
 * considered: see `verifyHistory`.
 */
export async function restoreValues(
  database: Database,
  wanted: WantedState,
  onValue: () => void,
): Promise<RestoredValues | undefined> {
  const { nodes } = new FlatTables(database);
  const restoring = new Restoring(database, wanted);
  for await (const found of compareWithTrie(database, nodes, wanted.root)) {
    if (found.kind === "gap") restoring.result.gaps++;
    else {
      onValue();
      if (!restoring.visit(found)) return undefined;
      if (restoring.writer.isFull) await restoring.writer.flush();
    }
  }
  await restoring.writer.flush();
  return restoring.result;
}

class Restoring {
  readonly result: RestoredValues = { restored: 0, gaps: 0 };
  readonly writer: BoundedWriter;
  private readonly codes: CodeCheck;
  private readonly hidden: HiddenCells;

  constructor(
    database: Database,
    private readonly wanted: WantedState,
  ) {
    this.writer = new BoundedWriter(database);
    this.codes = new CodeCheck(database);
    this.hidden = new HiddenCells(wanted.number);
  }

  /** Returns false if the value is lost. */
  visit({ key, stored, value, isInGap }: ComparedKey): boolean {
    const record = stored && attempt(() => decodeRecord(stored, key));
    const kind = record && this.hidden.visit(key, record);
    if (value !== undefined) return this.require(value, kind === "hidden" ? undefined : record);
    if (kind === "hidden" || kind === "tombstone") return true;
    // Values in a gap are verified by the root of the trie that is built from them.
    const isRemoved = isInGap
      ? record === undefined || kind === "wrong tombstone"
      : record?.value.length !== 0 || record.changed > this.wanted.number;
    if (isRemoved) this.write({ table: TABLES.flatState, key: key.slice(), value: undefined });
    else if (isInGap && record!.changed > this.wanted.number) this.writeValue(key.slice(), record!.value);
    return true;
  }

  private require(value: TrieValue, record: FlatRecord | undefined): boolean {
    const { key } = value;
    const isSame = record !== undefined && record.value.length !== 0 && isSameValue(value, record.value);
    const content = isSame ? record.value.slice() : storedForm(value);
    if (content === undefined) return false;
    if (isCodeKey(key) && !this.codes.has(hashInReference(content))) {
      if (value.value === undefined) return false;
      this.write({ table: TABLES.codes, key: hashInReference(content), value: value.value });
    }
    if (!isSame || record.changed > this.wanted.number) this.writeValue(key, content);
    return true;
  }

  private writeValue(key: Uint8Array, value: Uint8Array): void {
    const changed = Math.max(this.wanted.oldest, this.hidden.lowestVisible(key));
    const record = { changed, index: 0, earlier: [], value };
    this.write({ table: TABLES.flatState, key, value: encodeRecord(record) });
  }

  private write(write: Write): void {
    this.writer.add(write);
    this.result.restored++;
  }
}

/** Returns the form in which the flat table stores a value of a trie; undefined if the trie lacks the value. */
function storedForm({ key, value, hash, length }: TrieValue): Uint8Array | undefined {
  return isCodeKey(key) ? codeReferenceOf(hash ?? keccak256(value!), length) : value;
}

/** Checks the stored codes, each once. */
export class CodeCheck {
  private readonly sound = new HashSet();

  constructor(private readonly database: Database) {}

  has(hash: Uint8Array): boolean {
    if (!this.sound.add(hash)) return true;
    return this.get(hash) !== undefined;
  }

  /** Undefined if the code is missing or damaged. */
  get(hash: Uint8Array): Uint8Array | undefined {
    const code = this.database.get(TABLES.codes, hash);
    return code !== undefined && equalBytes(keccak256(code), hash) ? code : undefined;
  }
}
