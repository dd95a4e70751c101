import assert from "node:assert/strict";
import { fromHex, toHex } from "@cambium/primitives";
import type { StateChange } from "@cambium/state";
import { fc, runs } from "@cambium/test-utils/properties";
import { timesBehind } from "../../src/state/flat-state-options.js";
import { encodeTrieBlock } from "../../src/state/flat-tables.js";
import { FACTS, TABLES } from "../../src/tables/tables.js";
import { OPTIONS, StateModel, type TestBlock } from "./state-model.js";

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

/** Additional keys, enough that a part of the trie is not packed. */
const MORE_KEYS = Array.from({ length: 48 }, (_, i) => toHex(Uint8Array.of(0, i * 5)) + "cd".repeat((i % 3) * 9));

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
          const model = StateModel.create(history, OPTIONS, KEYS);
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
    const model = StateModel.create(undefined, OPTIONS, KEYS);
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

  it("note which blocks changed a value", () => {
    const model = StateModel.create(20, OPTIONS, KEYS);
    const [key, other] = [KEYS[0]!, KEYS[6]!];
    const changed = [3, 4, 9, 17, 18, 30];
    const valueAt = (number: number) => (number === 17 ? undefined : Uint8Array.of(number));
    const grow = (count: number) => {
      while (model.best.number < count) {
        const number = model.best.number + 1;
        const own = changed.includes(number) ? [{ key: fromHex(key), value: valueAt(number), isPrefix: false }] : [];
        model.add(model.best, [{ key: fromHex(other), value: Uint8Array.of(number), isPrefix: false }, ...own], true);
      }
    };
    const { changes } = model;
    grow(20);
    for (let number = 0; number <= 20; number++) {
      const last = changed.findLast((one) => one <= number);
      const first = changed.find((one) => one > number && one <= 20);
      assert.equal(changes.lastChangeUpTo(fromHex(key), number), last, `up to ${number}`);
      assert.equal(changes.firstChangeAbove(fromHex(key), number), first, `above ${number}`);
    }
    assert.equal(changes.lastChangeUpTo(fromHex("0103"), 20), undefined);
    grow(60);
    assert.equal(changes.lastChangeUpTo(fromHex(key), 60), 30);
    assert.throws(() => changes.lastChangeUpTo(fromHex(key), 29), { code: "STATE_UNAVAILABLE" });
    assert.throws(() => changes.firstChangeAbove(fromHex(key), 2), { code: "STATE_UNAVAILABLE" });
  });

  it("are opened without their trie, whatever has changed since it was stored", () => {
    const model = StateModel.create(undefined, OPTIONS, KEYS);
    for (let i = 0; i < OPTIONS.maxBlocks - 1; i++) {
      const key = fromHex(KEYS[i]!);
      model.add(model.best, [{ key, value: Uint8Array.of(i + 1), isPrefix: false }], true);
    }
    const { opening, changing } = model.readsOfStart();
    assert.deepEqual([...opening], [TABLES.facts]);
    assert(changing.has(TABLES.stateDiffs));
  });

  it("are read after a kill when the block of the stored trie has left the best chain, and the history", () => {
    const model = StateModel.create(0, OPTIONS, KEYS);
    const add = (parent: TestBlock, value: number) =>
      model.add(parent, [{ key: fromHex(KEYS[0]!), value: Uint8Array.of(value), isPrefix: false }], true);
    for (let number = 1; number <= OPTIONS.minHistory; number++) add(model.best, number);
    add(model.blocks[1]!, 100);
    while (model.best.number < OPTIONS.minHistory + 2) add(model.best, 100 + model.best.number);
    model.reopen();
    model.compare();
  });

  it("have their trie stored less often while the chain is far behind, and after a kill before other threads need it", () => {
    const model = StateModel.create(undefined, {});
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
    const model = StateModel.create(0, OPTIONS, KEYS);
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
    const model = StateModel.create(undefined, {});
    const keys = Array.from({ length: 25_000 }, (_, i) => toHex(Uint8Array.of(i >> 8, i, 1)));
    model.add(model.best, changesOf(keys), true, true);
    assert.throws(() => model.readTrie(), { code: "STATE_UNAVAILABLE" });
    assert.deepEqual(await model.faults(), []);
  });
});
