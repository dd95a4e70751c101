import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { numberKey } from "@cambium/database";
import { fromHex, toHex } from "@cambium/primitives";
import type { StateChange } from "@cambium/state";
import { fc, runs } from "@cambium/test-utils/properties";
import { decodeDiff } from "../../src/state/state-diff.js";
import { TABLES } from "../../src/tables/tables.js";
import { OPTIONS, StateModel } from "./state-model.js";

/** Accounts that have most of their keys in common, and one apart. */
const ACCOUNTS = [`00${"a5".repeat(30)}`, `00${"a5".repeat(29)}a4`, `00${"17".repeat(30)}`];
const CELLS = 24;

function cellOf(account: string, i: number): string {
  const hash = toHex(Uint8Array.of((i * 53) % 256, i, 1, 2, 3, 4, 5, 6, 7, 8));
  return `${account}00${hash}${toHex(Uint8Array.of(i + 1))}`;
}

const KEYS = [
  "00aa",
  "ff",
  ...ACCOUNTS.flatMap((account) => [
    account,
    `${account}00`,
    `${account}80`,
    ...Array.from({ length: CELLS }, (_, i) => cellOf(account, i)),
  ]),
];

/** A change of one account: of its cells from one number on, of its code, or its destruction. */
const edit = fc.record({
  account: fc.constantFrom(ACCOUNTS[0]!, ACCOUNTS[0]!, ...ACCOUNTS),
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom("write" as const, "fill" as const) },
    { weight: 2, arbitrary: fc.constant("destroy" as const) },
    { weight: 1, arbitrary: fc.constantFrom("clear" as const, "code" as const) },
  ),
  first: fc.nat({ max: CELLS - 1 }),
  value: fc.constantFrom(1, 2),
});
type Edit = { account: string; kind: "write" | "fill" | "destroy" | "clear" | "code"; first: number; value: number };

function put(hex: string, value: Uint8Array | undefined): StateChange {
  return { key: fromHex(hex), value, isPrefix: false };
}

function changesOf({ account, kind, first, value }: Edit): StateChange[] {
  if (kind === "destroy") return [{ key: fromHex(account), value: undefined, isPrefix: true }];
  const account_ = [put(account, Uint8Array.of(0xc0, value)), put(`${account}00`, Uint8Array.of(1))];
  if (kind === "code") return [...account_, put(`${account}80`, new Uint8Array(40).fill(value))];
  const count = kind === "write" ? 2 : CELLS;
  const cells = Array.from({ length: count }, (_, i) => cellOf(account, (first + i) % CELLS));
  const bytes = kind === "clear" ? undefined : new Uint8Array(31).fill(value);
  return [...account_, ...cells.map((hex) => put(hex, bytes))];
}

const edits = fc.array(edit, { maxLength: 3 });
const step = fc.record({
  kind: fc.oneof(
    { weight: 10, arbitrary: fc.constant("best" as const) },
    { weight: 3, arbitrary: fc.constantFrom("side" as const, "other" as const) },
    { weight: 3, arbitrary: fc.constantFrom("side" as const, "other" as const) },
    { weight: 2, arbitrary: fc.constant("propose" as const) },
    { weight: 1, arbitrary: fc.constantFrom("rewind", "rewind and delete", "mark", "reopen", "close") },
    { weight: 1, arbitrary: fc.constantFrom("rewind and delete", "reopen") },
    { weight: 1, arbitrary: fc.constantFrom("tidy", "find", "remove") },
  ),
  back: fc.nat({ max: 6 }),
  edits,
  others: edits,
  isCompared: fc.boolean(),
});

async function run(model: StateModel, steps: readonly Step[]): Promise<void> {
  for (const { kind, back, edits, others, isCompared } of steps) {
    const changes = edits.flatMap(changesOf);
    const recent = model.blocks[Math.max(model.blocks.length - 1 - back, 0)]!;
    if (kind === "best") model.add(model.best, changes, true);
    else if (kind === "side") model.add(recent, changes, false);
    else if (kind === "other") model.add(recent, changes, true);
    else if (kind === "propose") model.propose(back < 5 ? model.best : recent, changes, others.flatMap(changesOf));
    else if (kind === "rewind") model.rewind(back, false);
    else if (kind === "rewind and delete") model.rewind(back, true);
    else if (kind === "mark") model.writer.mark();
    else if (kind === "reopen") model.reopen();
    else if (kind === "close") {
      model.close();
      model.reopen();
    } else if (kind === "remove") model.remove();
    else await model.tidy(kind === "find");
    // Superfluous entries of a block are removed before the next one, as usual in a node.
    await nextTurn();
    if (isCompared) model.compare();
  }
}
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

describe("storages that tombstones replace", () => {
  for (const history of [undefined, 0]) {
    for (const largeStorage of [0, 1_500, Number.POSITIVE_INFINITY]) {
      const name = `are read as those of a model, above ${largeStorage} bytes${history === 0 ? ", with a short history" : ""}`;
      it(name, async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(step, { maxLength: 40, size: "max" }), async (steps) => {
            const model = StateModel.create(history, { ...OPTIONS, maxChanges: 60, largeStorage }, KEYS);
            await run(model, steps);
            model.close();
            model.reopen();
            model.compare();
            await model.tidy();
            model.compare();
            assert.deepEqual(await model.faults(), []);
          }),
          { numRuns: runs(40) },
        );
      });
    }
  }

  const [ACCOUNT] = ACCOUNTS as [string];
  const fill = (value: number) => changesOf({ account: ACCOUNT, kind: "fill", first: 0, value });
  const destruction = changesOf({ account: ACCOUNT, kind: "destroy", first: 0, value: 0 });
  const CELL = cellOf(ACCOUNT, 3);

  it("are read as they were while another thread destroys, rewinds and creates them", () => {
    const happenings: ((model: StateModel) => void)[] = [
      (model) => model.add(model.best, destruction, true),
      (model) => model.rewind(1, false),
      (model) => model.rewind(2, false),
      (model) => model.add(model.blocks[1]!, fill(5), true),
    ];
    const numbers = [1, 2];
    for (const happens of happenings) {
      for (const [reads, number] of Array.from({ length: 12 }, (_, i) =>
        numbers.map((one) => [i, one] as const),
      ).flat()) {
        const model = StateModel.create(undefined, { ...OPTIONS, largeStorage: 0 }, KEYS);
        for (const changes of [fill(1), destruction, fill(2), []]) model.add(model.best, changes, true);
        const block = model.blocks[number]!;
        const value = model.readDuring(block, CELL, reads, () => happens(model));
        assert.deepEqual(value, block.content.get(CELL), `block ${number}, after ${reads} reads`);
      }
    }
  });

  it("are removed when their destruction has left the history, but for what was written again", async () => {
    const model = StateModel.create(0, { ...OPTIONS, largeStorage: 0 }, KEYS);
    const cells = () => model.count(TABLES.flatState, `${ACCOUNT}00`);
    const nodes = () => model.count(TABLES.trieNodes, `${ACCOUNT}00`);
    for (const changes of [fill(1), [], destruction]) model.add(model.best, changes, true);
    model.add(model.best, changesOf({ account: ACCOUNT, kind: "write", first: 5, value: 2 }), true);
    assert((await nodes()) > 3);
    // The marker, the tombstone and all cells.
    assert.equal(await cells(), 2 + CELLS);
    while (model.best.number < 3 + OPTIONS.minHistory) model.add(model.best, [], true);
    await model.tidy(true);
    // Written between the search and the removal.
    model.add(model.best, changesOf({ account: ACCOUNT, kind: "write", first: 9, value: 1 }), true);
    model.remove();
    assert.deepEqual([await cells(), await nodes()], [2 + 4, 0]);
    assert.equal(await model.count(TABLES.sweptStorages, ""), 0);
    model.compare();
    assert.deepEqual(await model.faults(), []);
  });

  it("take as much history as an account without cells", () => {
    const model = StateModel.create(undefined, { ...OPTIONS, largeStorage: 0 }, KEYS);
    for (const changes of [fill(1), destruction]) model.add(model.best, changes, true);
    const diff = model.database.get(TABLES.stateDiffs, numberKey(2))!;
    assert.equal([...decodeDiff(diff, 2)].length, 3);
  });
});
