import assert from "node:assert/strict";
import { MemoryDatabase, numberKey, type Write } from "@cambium/database";
import { EMPTY_TRIE_ROOT, equalBytes, fromHex, keccak256, toHex } from "@cambium/primitives";
import type { KeyedState, StateChange } from "@cambium/state";
import { fc, runs } from "@cambium/test-utils/properties";
import { NodeCache, Trie } from "@cambium/trie";
import type { Reorganisation } from "../../src/interface.js";
import { checkFlatState, type FlatStateFault } from "../../src/state/check-flat-state.js";
import { BlockState } from "../../src/state/flat-state.js";
import { type FlatStateOptions, FlatStateWriter, timesBehind } from "../../src/state/flat-state-writer.js";
import { FlatStates } from "../../src/state/flat-states.js";
import { encodeTrieBlock } from "../../src/state/flat-tables.js";
import type { StateSource } from "../../src/state/stored-states.js";
import { FACTS, TABLES } from "../../src/store/tables.js";

type Content = ReadonlyMap<string, Uint8Array>;

interface TestBlock {
  number: number;
  hash: Uint8Array;
  parent: TestBlock | undefined;
  content: Content;
  root: Uint8Array;
}

const OPTIONS = { minHistory: 6, maxBlocks: 5, maxChanges: 12 };

/** Keys of accounts, markers, codes and cells: some are prefixes of others. */
const KEYS = [
  "00aa",
  "00aa00",
  `00${"ab".repeat(30)}`,
  `00${"ab".repeat(30)}80`,
  "00aa0011",
  "00aa0012",
  "01",
  "0102",
  "ff",
];

/** Further keys, so many that not all of the trie is packed. */
const MORE_KEYS = Array.from({ length: 48 }, (_, i) => toHex(Uint8Array.of(0, i * 5)) + "cd".repeat((i % 3) * 9));

function rootOf(content: Content): Uint8Array {
  const trie = new Trie();
  for (const [hex, value] of content) trie.put(fromHex(hex), value);
  return trie.hash();
}

/** A chain of states, each of which is also known in full. */
class Model {
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

  private constructor(private readonly options: FlatStateOptions) {
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

  static create(history: number | undefined, options: FlatStateOptions = OPTIONS): Model {
    return new Model(history === undefined ? options : { ...options, history });
  }

  /** A writer of a process that was started again; nothing of the last one is in memory. */
  reopen(): void {
    this.writer = this.open();
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

  /** Computes roots of states that no block has, twice and in turn: the trie of the state before is lent to each of them. */
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
    assert.deepEqual(state.after([{ key: fromHex(KEYS[0]!), value: Uint8Array.of(1) }]).root.length, 32);
    return { opening, changing: read };
  }

  /** As a rewind of the chain does. */
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
      const { hash, number, root, content } = block;
      for (const states of [this.writer, this.reader]) {
        const state = states.after({ number, hash }, { stateRoot: root, totalDifficulty: 1n });
        if (state === undefined) {
          assert(number < this.highest - OPTIONS.minHistory || !this.isBest(block), `state of block ${number}`);
          continue;
        }
        for (const key of KEYS) assert.deepEqual(state.get(fromHex(key)), content.get(key), `${key} at ${number}`);
        assert(state instanceof BlockState);
        assert.deepEqual(
          Array.from(state.entries(), ({ key, value }) => [toHex(key), value]),
          [...content].sort(([a], [b]) => (a < b ? -1 : 1)),
        );
      }
    }
  }

  private async tidy(): Promise<void> {
    for await (const writes of this.writer.garbage(this.database)) this.write(writes);
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

const change: fc.Arbitrary<StateChange> = fc.record({
  key: fc.constantFrom(...KEYS, ...MORE_KEYS.slice(0, 9)).map(fromHex),
  value: fc.oneof(
    { weight: 4, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom(33, 60).map((length) => new Uint8Array(length).fill(length)) },
    { weight: 2, arbitrary: fc.constant(undefined) },
  ),
  isPrefix: fc.oneof({ weight: 12, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

const step = fc.record({
  kind: fc.oneof(
    { weight: 10, arbitrary: fc.constant("best" as const) },
    { weight: 3, arbitrary: fc.constant("side" as const) },
    { weight: 3, arbitrary: fc.constant("other" as const) },
    { weight: 3, arbitrary: fc.constant("propose" as const) },
    { weight: 1, arbitrary: fc.constantFrom("rewind", "rewind and delete", "mark", "reopen", "close") },
    { weight: 1, arbitrary: fc.constantFrom("rewind and delete", "mark") },
  ),
  back: fc.nat({ max: 7 }),
  changes: fc.array(change, { maxLength: 5 }),
  others: fc.array(change, { maxLength: 5 }),
  /** Comparing reads the best state's trie, which is then not changed in place. */
  isCompared: fc.boolean(),
});

/** Sets keys to values of 20 bytes. */
function changesOf(keys: readonly string[]): StateChange[] {
  return keys.map((hex, i) => ({ key: fromHex(hex), value: new Uint8Array(20).fill(i + 1), isPrefix: false }));
}

describe("states in the flat layout", () => {
  const cases = [undefined, 0].flatMap((history) => [
    { history, more: [] },
    { history, more: MORE_KEYS },
  ]);
  for (const { history, more } of cases) {
    const name = `are those of a model${more.length > 0 ? " of many keys" : ""}`;
    it(`${name}${history === 0 ? ", with a short history" : ""}`, () => {
      fc.assert(
        fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
          const model = Model.create(history);
          if (more.length > 0) model.add(model.best, changesOf(more), true);
          for (const { kind, back, changes, others, isCompared } of steps) {
            const recent = model.blocks[Math.max(model.blocks.length - 1 - back, 0)]!;
            if (kind === "best") model.add(model.best, changes, true);
            else if (kind === "side") model.add(recent, changes, false);
            else if (kind === "other") model.add(recent, changes, true);
            else if (kind === "propose") model.propose(back < 5 ? model.best : recent, changes, others);
            else if (kind === "rewind") model.rewind(back, false);
            else if (kind === "rewind and delete") model.rewind(back, true);
            else if (kind === "mark") model.writer.mark();
            else if (kind === "reopen") model.reopen();
            else model.close();
            if (isCompared) model.compare();
          }
          model.close();
          model.reopen();
          model.compare();
        }),
        { numRuns: runs(200) },
      );
    });
  }

  it("are those of an earlier block after a rewind to a mark, which reads no changes of the blocks above", () => {
    const model = Model.create(undefined);
    const add = (key: string, value: number) =>
      model.add(model.best, [{ key: fromHex(key), value: Uint8Array.of(value), isPrefix: false }], true);
    add(KEYS[0]!, 1);
    model.writer.mark();
    const { number } = model.best;
    const read: number[] = [];
    const { get } = model.database;
    for (const key of [...KEYS, ...KEYS]) add(key, model.best.number + 1);
    model.database.get = function (table, key) {
      if (table === TABLES.stateDiffs) read.push(table);
      return get.call(this, table, key);
    };
    model.rewind(2 * KEYS.length, true);
    assert.deepEqual([model.best.number, read], [number, []]);
    model.compare();
  });

  it("are opened without their trie, whatever has changed since it was stored", () => {
    const model = Model.create(undefined);
    for (let i = 0; i < OPTIONS.maxBlocks - 1; i++) {
      const key = fromHex(KEYS[i]!);
      model.add(model.best, [{ key, value: Uint8Array.of(i + 1), isPrefix: false }], true);
    }
    const { opening, changing } = model.readsOfStart();
    assert.deepEqual([...opening], [TABLES.facts]);
    assert(changing.has(TABLES.stateDiffs));
  });

  it("have their trie stored less often while the chain is far behind, and after a kill before other threads need it", () => {
    const model = Model.create(undefined, {});
    const keys = Array.from({ length: 9_000 }, (_, i) => toHex(Uint8Array.of(i >> 8, i, 1)));
    const trieBlock = () => toHex(model.database.get(TABLES.facts, FACTS.trieBlock)!);
    const first = trieBlock();
    model.add(model.best, changesOf(keys), true, true);
    assert.equal(trieBlock(), first);
    model.reopen();
    model.catchUp();
    assert.equal(trieBlock(), toHex(encodeTrieBlock(model.best)));
    model.add(model.best, changesOf(keys.map((hex) => `${hex}02`)), true);
    assert.equal(trieBlock(), toHex(encodeTrieBlock(model.best)));
    model.add(model.best, [], true);
    const last = trieBlock();
    model.add(model.best, changesOf(KEYS), true);
    model.reopen();
    model.catchUp();
    assert.equal(trieBlock(), last);
  });

  it("are refused to a reader that has opened them when they leave the history, and not read as empty", () => {
    const model = Model.create(0);
    const key = fromHex(KEYS[0]!);
    model.add(model.best, [{ key, value: Uint8Array.of(1), isPrefix: false }], true);
    const opened = model.read(model.best)!;
    assert.equal(opened.get(fromHex(KEYS[1]!)), undefined);
    const first = model.best;
    model.add(model.best, [{ key, value: undefined, isPrefix: false }], true);
    for (let i = 0; i < 12; i++) model.add(model.best, [], true);
    assert.throws(() => opened.get(key), { code: "STATE_UNAVAILABLE" });
    assert.equal(opened.get(fromHex(KEYS[1]!)), undefined);
    assert.equal(model.read(first), undefined);
  });

  it("gather fewer changes far behind the less memory there is", () => {
    const gigabytes = [0, 0.4, 1.2, 2, 4, 64];
    assert.deepEqual(
      gigabytes.map((available) => timesBehind(available * 2 ** 30)),
      [1, 1, 2, 4, 8, 8],
    );
  });

  it("are found sound after a kill far behind, when other threads could not read the newest trie", async () => {
    const model = Model.create(undefined, {});
    const keys = Array.from({ length: 25_000 }, (_, i) => toHex(Uint8Array.of(i >> 8, i, 1)));
    model.add(model.best, changesOf(keys), true, true);
    assert.throws(() => model.readTrie(), { code: "STATE_UNAVAILABLE" });
    assert.deepEqual(await model.faults(), []);
  });
});
