import assert from "node:assert/strict";
import { openChain } from "@cambium/chain";
import { FACTS, type StateLayout, TABLES } from "@cambium/chain-store";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase, readNumber, type Table } from "@cambium/database";
import { concatBytes, EMPTY_BYTES, toHex } from "@cambium/primitives";
import { chainFile } from "@cambium/test-utils/chain-files";
import { checkDatabase, type DatabaseProblem, importFiles } from "../../src/index.js";

const network = NETWORKS.local;

for (const stateLayout of ["archive", "flat"] as const) {
  describe(`database check, ${stateLayout} layout`, () => checkTests(stateLayout));
}

function checkTests(stateLayout: StateLayout): void {
  let base: MemoryDatabase;

  before(async () => {
    const file = chainFile("contracts");
    base = new MemoryDatabase();
    const chain = await openChain({ network, database: base, stateLayout, flatState: { maxBlocks: 7 } });
    await importFiles(chain, [file]);
  });

  async function problemsAfter(change: (database: MemoryDatabase) => Promise<void>, deep = false) {
    const database = new MemoryDatabase(base);
    await change(database);
    return (await checkDatabase(database, network, { deep })).problems;
  }

  /** A key of a table, but not the first one, which may be genesis. */
  async function someKey(table: Table): Promise<Uint8Array> {
    const keys: Uint8Array[] = [];
    for await (const { key } of base.entries(table)) keys.push(key);
    return keys[Math.floor(keys.length / 2)]!;
  }

  function has(problems: readonly DatabaseProblem[], wanted: Partial<Record<string, unknown>>): boolean {
    return problems.some((problem) =>
      Object.entries(wanted).every(([name, value]) => (problem as Record<string, unknown>)[name] === value),
    );
  }

  it("reports nothing for an intact database", async () => {
    const seen: number[] = [];
    const result = await checkDatabase(base, network, { deep: true, onProgress: (blocks) => seen.push(blocks) });
    assert.deepEqual(result.problems, []);
    assert.equal(result.blocks, seen.at(-1));
    assert(result.nodes > 100);
  });

  const missing: [Table, Partial<Record<string, unknown>>][] = [
    [TABLES.headers, { kind: "block", what: "header" }],
    [TABLES.transactions, { kind: "block", what: "body" }],
    [TABLES.receipts, { kind: "block", what: "receipts" }],
    [TABLES.outcomes, { kind: "block", what: "outcome" }],
    [TABLES.bestChain, { kind: "best-chain" }],
    [TABLES.transactionIndex, { kind: "transaction-index" }],
  ];
  for (const [table, wanted] of missing) {
    it(`finds a missing entry of table ${table}`, async () => {
      const key = await someKey(table);
      const problems = await problemsAfter((database) => database.write([{ table, key, value: undefined }]));
      assert(has(problems, wanted), JSON.stringify(problems.map(({ kind }) => kind)));
    });
  }

  for (const [table] of missing) {
    it(`finds a truncated entry of table ${table}`, async () => {
      const key = await someKey(table);
      const problems = await problemsAfter((database) => database.write([{ table, key, value: new Uint8Array(9) }]));
      assert(problems.length > 0);
    });
  }

  it("finds entries with wrong contents", async () => {
    for (const table of [TABLES.headers, TABLES.transactions, TABLES.receipts] as const) {
      const key = await someKey(table);
      const problems = await problemsAfter((database) => database.write([{ table, key, value: EMPTY_BYTES }]));
      assert(has(problems, { kind: "block" }));
    }
  });

  const stateTables: [Table, Partial<Record<string, unknown>>][] =
    stateLayout === "archive"
      ? [[TABLES.stateNodes, { kind: "state" }]]
      : [
          [TABLES.flatState, { kind: "flat-state" }],
          [TABLES.trieNodes, { kind: "flat-state" }],
          [TABLES.codes, { kind: "flat-state", what: "code" }],
          [TABLES.stateDiffs, { kind: "state-diff" }],
        ];
  for (const [table, wanted] of stateTables) {
    it(`finds every missing or corrupt entry of table ${table} in a deep check`, async () => {
      const keys: Uint8Array[] = [];
      for await (const { key } of base.entries(table)) keys.push(key);
      for (let i = 0; i < keys.length; i += Math.ceil(keys.length / 8)) {
        for (const value of [undefined, Uint8Array.of(1, 2, 3)]) {
          const write = { table, key: keys[i]!, value };
          const problems = await problemsAfter((database) => database.write([write]), true);
          assert(has(problems, wanted), toHex(keys[i]!));
        }
      }
    });
  }

  if (stateLayout === "flat") {
    it("finds values that the trie does not have, and the other way round", async () => {
      const key = new Uint8Array(31).fill(7);
      const record = Uint8Array.of(0, 0, 0, 1, 0, 0, 9);
      const extra = await problemsAfter(
        (database) => database.write([{ table: TABLES.flatState, key, value: record }]),
        true,
      );
      assert.deepEqual(extra, [{ kind: "flat-state", what: "value", fault: "unexpected", key }]);
      const known = await someKey(TABLES.flatState);
      const changed = concatBytes(base.get(TABLES.flatState, known)!, Uint8Array.of(1));
      const write = { table: TABLES.flatState, key: known, value: changed };
      const wrong = await problemsAfter((database) => database.write([write]), true);
      assert(has(wrong, { kind: "flat-state", what: "value", fault: "corrupt" }), JSON.stringify(wrong));
      const fact = { table: TABLES.facts, key: FACTS.trieBlock, value: undefined };
      const none = await problemsAfter((database) => database.write([fact]), true);
      assert.deepEqual(
        none.map(({ kind }) => kind),
        ["flat-state"],
      );
    });
  }

  it("finds stored senders of another length, and wrong ones in a deep check; none need be stored", async () => {
    const key = await someKey(TABLES.senders);
    const stored = base.get(TABLES.senders, key)!;
    const problems = (value: Uint8Array | undefined, deep: boolean) =>
      problemsAfter((database) => database.write([{ table: TABLES.senders, key, value }]), deep);
    const found = [{ kind: "senders", number: readNumber(key, 0), hash: key.slice(8) }];
    assert.deepEqual(await problems(stored.slice(1), false), found);
    const wrong = stored.map((byte, i) => (i === 0 ? byte ^ 1 : byte));
    for (const value of [wrong, new Uint8Array(stored.length)]) assert.deepEqual(await problems(value, true), found);
    assert.deepEqual(await problems(undefined, true), []);
  });

  it("finds a missing best block", async () => {
    const [fact] = [Uint8Array.of(3)];
    const write = { table: TABLES.facts, key: fact!, value: new Uint8Array(32) };
    assert(has(await problemsAfter((database) => database.write([write])), { kind: "best-chain" }));
    assert(
      has(await problemsAfter((database) => database.write([{ ...write, value: undefined }])), {
        kind: "fact",
        what: "best",
      }),
    );
  });
}
