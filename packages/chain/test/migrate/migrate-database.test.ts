import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { type Database, MemoryDatabase } from "@cambium/database";
import { numberToBytes, toHex } from "@cambium/primitives";
import type { Block } from "@cambium/types";
import { type Chain, ChainError, checkDatabase, localBlock, migrateDatabase, openChain } from "../../src/index.js";
import type { MigrationOptions } from "../../src/migrate/migrate-database.js";
import { layoutOf } from "../../src/state/open-states.js";
import { FACTS, TABLES } from "../../src/store/tables.js";
import { FailingDatabase } from "../failing-database.js";
import { chainBlocks } from "../vectors.js";

const network = NETWORKS.local;

describe("migration to the flat layout", () => {
  let forks: readonly Block[];
  let contracts: readonly Block[];

  before(async () => {
    forks = (await chainBlocks("uncles-and-reorgs")).slice(0, 64);
    contracts = (await chainBlocks("contracts")).slice(0, 40);
  });

  it("keeps the states of all blocks on every branch, from schema 1 too", async () => {
    for (const blocks of [forks, contracts]) {
      const original = await archive(blocks);
      const database = await archiveDatabase(blocks);
      await makeSchema1(database);
      const steps = new Set<string>();
      const result = await toFlat(database, { onProgress: (step) => void steps.add(step) });
      assert.deepEqual([result.layout, result.isComplete, result.oldestState], ["flat", true, 0]);
      assert.equal(result.trieBlock, original.best().header.number);
      assert.deepEqual([...steps], ["values", "blocks", "removed"]);
      assert.equal(await isEmpty(database, TABLES.stateNodes), true);
      assert.deepEqual((await checkDatabase(database, network, { deep: true })).problems, []);
      const migrated = await openChain({ network, database, stateLayout: "flat" });
      assert.deepEqual(migrated.best(), original.best());
      for (const { hash } of blocks) assert.deepEqual(stateOf(migrated, hash), stateOf(original, hash));
    }
  });

  it("imports the same blocks afterwards, with the same reorganisations", async () => {
    for (const blocks of [forks, contracts]) {
      for (const count of [9, 33]) {
        const original = await archive(blocks.slice(0, count));
        const database = await archiveDatabase(blocks.slice(0, count));
        await toFlat(database);
        const migrated = await openChain({ network, database });
        for (const block of blocks.slice(count)) {
          const results = [await original.import(localBlock(block)), await migrated.import(localBlock(block))];
          assert.deepEqual(results[1], results[0]);
        }
        assert.deepEqual(stateOf(migrated, migrated.best().hash), stateOf(original, original.best().hash));
        await migrated.close();
        await openChain({ network, database });
      }
    }
  });

  it("keeps as much history as is asked for", async () => {
    const original = await archive(contracts.slice(0, 30));
    const database = await archiveDatabase(contracts.slice(0, 30));
    const flatState = { history: 10, minHistory: 4, maxBlocks: 3 };
    assert.equal((await toFlat(database, { flatState })).oldestState, 20);
    const migrated = await openChain({ network, database, flatState });
    for (const { number, hash } of contracts.slice(0, 30)) {
      if (number < 20) assert.equal(migrated.stateAfter(hash), undefined);
      else assert.deepEqual(stateOf(migrated, hash), stateOf(original, hash));
    }
    for (const block of contracts.slice(30)) {
      assert.equal((await migrated.import(localBlock(block))).kind, "imported-best");
      await original.import(localBlock(block));
    }
    assert.deepEqual(stateOf(migrated, migrated.best().hash), stateOf(original, original.best().hash));
  });

  it("leaves a sound database wherever writing stops, and continues there", async () => {
    const blocks = forks.slice(0, 16);
    const original = await archive(blocks);
    const layouts = new Set<string>();
    for (let batches = 0; ; batches++) {
      const disk = await archiveDatabase(blocks);
      await makeSchema1(disk);
      const isDone = await toFlat(new FailingDatabase(disk, batches)).then(
        () => true,
        () => false,
      );
      if (isDone) break;
      if (disk.get(TABLES.facts, FACTS.schema)![0] === 1) continue;
      layouts.add(layoutOf(disk));
      const between = await openChain({ network, database: new MemoryDatabase(disk) });
      assert.deepEqual(stateOf(between, between.best().hash), stateOf(original, original.best().hash));
      await toFlat(disk);
      assert.deepEqual((await checkDatabase(disk, network, { deep: true })).problems, []);
      const migrated = await openChain({ network, database: disk });
      for (const { hash } of blocks) assert.deepEqual(stateOf(migrated, hash), stateOf(original, hash));
    }
    assert.deepEqual([...layouts], ["archive", "flat"]);
  });

  it("continues after blocks were imported and others have left the best chain", async () => {
    const original = await archive(forks);
    for (const [count, interruption] of [
      [9, 5],
      [33, 12],
      [58, 20],
    ] as const) {
      const database = await archiveDatabase(forks.slice(0, count));
      const interrupt = new AbortController();
      const onProgress = (_: string, done: number) => done === interruption && interrupt.abort();
      const first = await toFlat(database, { onProgress, signal: interrupt.signal });
      assert.deepEqual([first.layout, first.isComplete], ["archive", false]);
      const chain = await openChain({ network, database });
      for (const block of forks.slice(count)) await chain.import(localBlock(block));
      await toFlat(database);
      const migrated = await openChain({ network, database });
      assert.deepEqual(migrated.best(), original.best());
      for (const { hash } of forks) assert.deepEqual(stateOf(migrated, hash), stateOf(original, hash));
    }
  });

  it("changes nothing if it is interrupted at once, and has nothing to do afterwards", async () => {
    const database = await archiveDatabase(contracts);
    assert.equal((await toFlat(database, { signal: AbortSignal.abort() })).isComplete, false);
    const chain = await openChain({ network, database, stateLayout: "archive" });
    assert.notEqual(chain.stateAfter(chain.best().hash), undefined);
    await toFlat(database);
    assert.equal((await toFlat(database)).isComplete, true);
  });

  it("reports a damaged state", async () => {
    const database = await archiveDatabase(contracts);
    for await (const { key, value } of database.entries(TABLES.stateNodes)) {
      await database.write([{ table: TABLES.stateNodes, key: key.slice(), value: Uint8Array.of(...value, 0) }]);
    }
    await assert.rejects(toFlat(database), hasCode("DATABASE_DAMAGED"));
    assert.equal(layoutOf(database), "archive");
  });

  it("is refused while a snapshot is being installed, and for another network", async () => {
    const database = await archiveDatabase([]);
    await assert.rejects(
      migrateDatabase({ network: NETWORKS.test, database, to: "flat" }),
      hasCode("DATABASE_NETWORK"),
    );
    await database.write([{ table: TABLES.facts, key: FACTS.snapshotProgress, value: Uint8Array.of(1) }]);
    await assert.rejects(toFlat(database), hasCode("SNAPSHOT_UNFINISHED"));
  });
});

describe("migration to the archive layout", () => {
  it("makes schema 1 the current one, and changes nothing else", async () => {
    const blocks = await chainBlocks("contracts");
    const database = await archiveDatabase(blocks);
    await makeSchema1(database);
    await assert.rejects(openChain({ network, database }), hasCode("DATABASE_SCHEMA"));
    const result = await migrateDatabase({ network, database, to: "archive" });
    assert.deepEqual(result, { layout: "archive", isComplete: true, oldestState: 0 });
    const chain = await openChain({ network, database, stateLayout: "archive" });
    for (const { hash } of blocks) assert.notEqual(chain.stateAfter(hash), undefined);
  });

  it("is refused if old states are not stored", async () => {
    const database = new MemoryDatabase();
    await openChain({ network, database, stateLayout: "flat" });
    await assert.rejects(migrateDatabase({ network, database, to: "archive" }), hasCode("STATE_LAYOUT"));
  });
});

function toFlat(database: Database, options: Partial<MigrationOptions> = {}) {
  return migrateDatabase({ network, database, to: "flat", ...options });
}

async function archive(blocks: readonly Block[], database: Database = new MemoryDatabase()): Promise<Chain> {
  const chain = await openChain({ network, database, stateLayout: "archive" });
  for (const block of blocks) await chain.import(localBlock(block));
  return chain;
}

async function archiveDatabase(blocks: readonly Block[]): Promise<MemoryDatabase> {
  const database = new MemoryDatabase();
  await (await archive(blocks, database)).close();
  return database;
}

/** Schema 1 has the archive layout, and no fact that says so. */
async function makeSchema1(database: Database): Promise<void> {
  await database.write([
    { table: TABLES.facts, key: FACTS.layout, value: undefined },
    { table: TABLES.facts, key: FACTS.schema, value: numberToBytes(1) },
  ]);
}

async function isEmpty(database: Database, table: number): Promise<boolean> {
  for await (const _ of database.entries(table)) return false;
  return true;
}

/** Root, keys and values of the state after a block; undefined if it cannot be read. */
function stateOf(chain: Chain, hash: Uint8Array): unknown {
  const state = chain.stateAfter(hash)?.state;
  return state && [toHex(state.root), ...Array.from(state.entries(), ({ key, value }) => [toHex(key), toHex(value)])];
}

function hasCode(code: ChainError["code"]) {
  return (error: unknown) => error instanceof ChainError && error.code === code;
}
