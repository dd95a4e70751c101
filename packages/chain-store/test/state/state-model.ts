import assert from "node:assert/strict";
import { checkFlatState, type FlatStateFault } from "@cambium/chain-maintenance";
import { MemoryDatabase, numberKey, type Write } from "@cambium/database";
import { EMPTY_TRIE_ROOT, equalBytes, fromHex, keccak256, toHex } from "@cambium/primitives";
import type { KeyedState, StateChange } from "@cambium/state";
import { NodeCache, Trie } from "@cambium/trie";
import { ChainError } from "../../src/errors.js";
import type { Reorganisation } from "../../src/interface.js";
import type { BlockState } from "../../src/state/flat-state.js";
import type { FlatStateOptions } from "../../src/state/flat-state-options.js";
import { FlatStateWriter } from "../../src/state/flat-state-writer.js";
import { FlatStates } from "../../src/state/flat-states.js";
import { encodeTrieBlock } from "../../src/state/flat-tables.js";
import type { StateSource, ValueChanges } from "../../src/state/stored-states.js";
import { FACTS, TABLES } from "../../src/tables/tables.js";

type Content = ReadonlyMap<string, Uint8Array>;

export interface TestBlock {
  number: number;
  hash: Uint8Array;
  parent: TestBlock | undefined;
  content: Content;
  root: Uint8Array;
}

export const OPTIONS = { minHistory: 6, maxBlocks: 5, maxChanges: 12 };

function rootOf(content: Content): Uint8Array {
  const trie = new Trie();
  for (const [hex, value] of content) trie.put(fromHex(hex), value);
  return trie.hash();
}

/** A chain of states, each of which is also known in full. */
export class StateModel {
  readonly database = new MemoryDatabase();
  readonly blocks: TestBlock[];
  best: TestBlock;
  /** Number of the highest best block so far. */
  private highest = 0;
  writer: FlatStateWriter;
  private created = 0;
  private readonly byHash = new Map<string, TestBlock>();
  private readonly reader: FlatStates;
  private readonly source: StateSource = {
    reader: this.database,
    parentOf: (hash) => this.byHash.get(toHex(hash))?.parent?.hash,
    hashesAt: (number) => this.blocks.filter((block) => block.number === number).map(({ hash }) => hash),
  };

  /** Removals that {@link tidy} has found. */
  private removals: (() => Write[])[] = [];

  private constructor(
    private readonly options: FlatStateOptions,
    /** Keys whose values are compared, in hex. */
    private readonly keys: readonly string[],
  ) {
    const genesis = {
      number: 0,
      hash: keccak256(Uint8Array.of(0)),
      parent: undefined,
      content: new Map(),
      root: EMPTY_TRIE_ROOT,
    };
    this.blocks = [genesis];
    this.byHash.set(toHex(genesis.hash), genesis);
    this.best = genesis;
    this.write([
      { table: TABLES.bestChain, key: numberKey(0), value: genesis.hash },
      { table: TABLES.facts, key: FACTS.trieBlock, value: encodeTrieBlock(genesis) },
    ]);
    this.writer = this.open();
    this.reader = new FlatStates(this.source, new NodeCache(50));
  }

  static create(
    history: number | undefined,
    options: FlatStateOptions = OPTIONS,
    keys: readonly string[] = [],
  ): StateModel {
    return new StateModel(history === undefined ? options : { ...options, history }, keys);
  }

  /** Changes of values by block, as another thread reads them. */
  get changes(): ValueChanges {
    return this.reader.changes;
  }

  /** Replaces the writer as a restarted process does; nothing of the last one is in memory. */
  reopen(): void {
    this.writer = this.open();
    this.removals = [];
  }

  close(): void {
    this.write(this.writer.close());
  }

  catchUp(): void {
    this.write(this.writer.catchUp());
  }

  /** The state after a block as another thread reads it. */
  read({ number, hash, root }: TestBlock): BlockState | undefined {
    return this.reader.after({ number, hash }, { stateRoot: root, totalDifficulty: 1n });
  }

  /** Reads a value after a block as another thread does; `happens` is called right after this many reads of entries. */
  readDuring(
    { number, hash, root }: TestBlock,
    key: string,
    reads: number,
    happens: () => void,
  ): Uint8Array | undefined {
    let left = reads;
    const get = (table: number, at: Uint8Array) => {
      const value = this.database.get(table, at);
      if (left-- === 0) happens();
      return value;
    };
    const states = new FlatStates({ ...this.source, reader: { get } }, undefined);
    return states.after({ number, hash }, { stateRoot: root, totalDifficulty: 1n })!.get(fromHex(key));
  }

  /** Number of entries of a table whose keys begin with these bytes. */
  async count(table: number, prefix: string): Promise<number> {
    let entries = 0;
    for await (const _ of this.database.entries(table, fromHex(prefix))) entries++;
    return entries;
  }

  /** Reads the trie of the best block as another thread does. */
  readTrie(): void {
    this.read(this.best)!.trie();
  }

  async faults(): Promise<FlatStateFault[]> {
    const found: FlatStateFault[] = [];
    const { number, hash, root } = this.best;
    const best = { number, hash, stateRoot: root };
    await checkFlatState(this.database, { source: this.source, best, report: (fault) => found.push(fault) });
    return found;
  }

  /** Computes roots of states that no block has, twice and in turn: each leases the trie of the previous state. */
  propose(parent: TestBlock, one: readonly StateChange[], other: readonly StateChange[]): void {
    const before = this.stateOf(parent);
    if (before === undefined) return;
    const proposals = [one, other].map((changes) => ({
      state: before.after(changes),
      root: rootOf(changed(parent.content, changes)),
    }));
    for (const { state, root } of [...proposals, ...proposals]) assert.deepEqual(state.root, root);
  }

  /** Adds a block on a block, if the states it needs are stored. */
  add(parent: TestBlock, changes: readonly StateChange[], becomesBest: boolean, isBehind = false): void {
    const before = this.stateOf(parent);
    if (before === undefined) return;
    const state = before.after(changes);
    const content = changed(parent.content, changes);
    const root = rootOf(content);
    assert.deepEqual(state.root, root);
    const number = parent.number + 1;
    this.created++;
    const hash = keccak256(Uint8Array.of(1, this.created >> 8, this.created));
    const block = { number, hash, parent, content, root };
    this.blocks.push(block);
    this.byHash.set(toHex(hash), block);
    if (!becomesBest) {
      this.write(this.writer.accept(block, state, undefined));
      return;
    }
    const change = this.reorganisation(block);
    this.move(change, block, this.writer.accept(block, state, change, { pin: number % 3 === 0, isBehind }));
    void this.tidy();
  }

  rewind(depth: number, deletes: boolean): void {
    let target = this.best;
    for (let i = 0; i < depth && target.parent !== undefined; i++) target = target.parent;
    if (target === this.best || this.stateOf(target) === undefined) return;
    const change = this.reorganisation(target);
    this.move(change, target, deletes ? this.writer.forget(target) : this.writer.rewind(change, target));
    this.deleteAbove(target.number);
  }

  /** Tables that are read when the states are opened after a kill, and then to change the best one. */
  readsOfStart(): { opening: Set<number>; changing: Set<number> } {
    const read = new Set<number>();
    const get = (table: number, key: Uint8Array) => {
      read.add(table);
      return this.database.get(table, key);
    };
    const { number, hash, root } = this.best;
    const best = { number, hash, stateRoot: root };
    const writer = new FlatStateWriter({ ...this.source, reader: { get } }, new NodeCache(20), best, OPTIONS);
    const opening = new Set(read);
    const state = writer.after(best, { stateRoot: root, totalDifficulty: 1n })!;
    assert.deepEqual(state.after([{ key: fromHex("00aa"), value: Uint8Array.of(1) }]).root.length, 32);
    return { opening, changing: read };
  }

  /** Deletes the blocks above a number, as a rewind of the chain does. */
  private deleteAbove(number: number): void {
    const kept = this.blocks.filter((block) => block.number <= number);
    for (const block of this.blocks) {
      if (block.number <= number) continue;
      this.byHash.delete(toHex(block.hash));
      this.write([
        { table: TABLES.sideDiffs, key: block.hash, value: undefined },
        { table: TABLES.stateDiffs, key: numberKey(block.number), value: undefined },
      ]);
    }
    this.blocks.splice(0, this.blocks.length, ...kept);
  }

  /** Compares every state that must be readable, in the thread of the writer and in another one. */
  compare(): void {
    for (const block of this.blocks) {
      for (const states of [this.writer, this.reader]) {
        try {
          this.compareState(states, block);
        } catch (error) {
          if (!(error instanceof ChainError) || error.code !== "STATE_UNAVAILABLE") throw error;
          const mayBeGone = block.number < this.highest - OPTIONS.minHistory || !this.isBest(block);
          assert(mayBeGone, `state of block ${block.number}`);
        }
      }
    }
  }

  /** Throws {@link ChainError} `STATE_UNAVAILABLE`. */
  private compareState(states: FlatStates, { hash, number, root, content }: TestBlock): void {
    const state = states.after({ number, hash }, { stateRoot: root, totalDifficulty: 1n });
    if (state === undefined) throw new ChainError({ code: "STATE_UNAVAILABLE", number });
    for (const key of this.keys) assert.deepEqual(state.get(fromHex(key)), content.get(key), `${key} at ${number}`);
    assert.deepEqual(
      Array.from(state.entries(), ({ key, value }) => [toHex(key), value]),
      [...content].sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  }

  /** Finds garbage, and removes it unless it is to be removed later. */
  async tidy(isLater = false): Promise<void> {
    for await (const removal of this.writer.garbage(this.database)) this.removals.push(removal);
    if (!isLater) this.remove();
  }

  remove(): void {
    for (const removal of this.removals) this.write(removal());
    this.removals = [];
  }

  private stateOf({ number, hash, root }: TestBlock): KeyedState | undefined {
    return this.writer.after({ number, hash }, { stateRoot: root, totalDifficulty: 1n });
  }

  private open(): FlatStateWriter {
    const best = { number: this.best.number, hash: this.best.hash, stateRoot: this.best.root };
    return new FlatStateWriter(this.source, new NodeCache(20), best, this.options);
  }

  private move({ removed, added }: Reorganisation, best: TestBlock, writes: Write[]): void {
    const first = best.number - added.length + 1;
    for (let i = 0; i < removed.length; i++) {
      writes.push({ table: TABLES.bestChain, key: numberKey(first + i), value: undefined });
    }
    for (const [i, hash] of added.entries()) {
      writes.push({ table: TABLES.bestChain, key: numberKey(first + i), value: hash });
    }
    this.write(writes);
    this.best = best;
    this.highest = Math.max(this.highest, best.number);
  }

  private isBest({ number, hash }: TestBlock): boolean {
    const best = this.database.get(TABLES.bestChain, numberKey(number));
    return best !== undefined && equalBytes(best, hash);
  }

  private reorganisation(next: TestBlock): Reorganisation {
    const removed: Uint8Array[] = [];
    const added: Uint8Array[] = [];
    let [old, fresh] = [this.best, next];
    while (old !== fresh) {
      if (old.number >= fresh.number) {
        removed.push(old.hash);
        old = old.parent!;
      } else {
        added.push(fresh.hash);
        fresh = fresh.parent!;
      }
    }
    return { commonAncestor: old.hash, removed: removed.reverse(), added: added.reverse() };
  }

  private write(writes: readonly Write[]): void {
    void this.database.write(writes);
  }
}

function changed(content: Content, changes: readonly StateChange[]): Content {
  const next = new Map(content);
  for (const { key, value, isPrefix } of changes) {
    const hex = toHex(key);
    if (isPrefix) {
      if (next.has(hex)) for (const other of [...next.keys()]) if (other.startsWith(hex)) next.delete(other);
    } else if (value === undefined || value.length === 0) next.delete(hex);
    else next.set(hex, value);
  }
  return next;
}
