import assert from "node:assert/strict";
import { localBlock, openChain } from "@cambium/chain";
import { ChainError, FACTS, TABLES } from "@cambium/chain-store";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { toHex } from "@cambium/primitives";
import { chainBlocks } from "@cambium/test-utils/chain-files";
import { FailingDatabase } from "@cambium/test-utils/failing-database";
import type { Block } from "@cambium/types";
import { checkDatabase, pruneHistory } from "../src/index.js";

const network = NETWORKS.local;
const flatState = { history: 10, minHistory: 4, maxBlocks: 20 };

describe("pruning the history of states", () => {
  let blocks: readonly Block[];

  before(async () => {
    blocks = (await chainBlocks("contracts")).slice(0, 40);
  });

  async function wholeHistory(): Promise<MemoryDatabase> {
    const database = new MemoryDatabase();
    const chain = await openChain({ network, database, stateLayout: "flat" });
    for (const block of blocks) await chain.import(localBlock(block));
    await chain.close();
    return database;
  }

  it("leaves what an import with the same history leaves, also if it was interrupted", async () => {
    const imported = new MemoryDatabase();
    const chain = await openChain({ network, database: imported, stateLayout: "flat", flatState });
    for (const block of blocks) await chain.import(localBlock(block));
    const database = await wholeHistory();
    await assert.rejects(pruneHistory({ network, database: new FailingDatabase(database, 1), flatState }));
    const { oldestState } = await pruneHistory({ network, database, flatState });
    assert.equal(oldestState, blocks.length - flatState.history);
    assert.deepEqual((await checkDatabase(database, network, { deep: true })).problems, []);
    const pruned = await openChain({ network, database, flatState });
    for (const { number, hash } of blocks) {
      const state = pruned.stateAfter(hash)?.state;
      assert.equal(state !== undefined, number >= oldestState);
      const expected = chain.stateAfter(hash)?.state;
      assert.deepEqual(state && toHex(state.root), expected && toHex(expected.root));
      assert.deepEqual([...(state?.entries() ?? [])], [...(expected?.entries() ?? [])]);
    }
    for (const table of [TABLES.stateDiffs, TABLES.flatState])
      assert.equal(await count(database, table), await count(imported, table));
  });

  it("has nothing to do if all states remain readable", async () => {
    const database = await wholeHistory();
    assert.equal((await pruneHistory({ network, database, flatState: {} })).oldestState, 0);
  });

  it("is refused while a snapshot is being installed", async () => {
    const database = await wholeHistory();
    await database.write([{ table: TABLES.facts, key: FACTS.snapshotProgress, value: Uint8Array.of(1) }]);
    await assert.rejects(
      pruneHistory({ network, database, flatState }),
      (error) => error instanceof ChainError && error.code === "SNAPSHOT_UNFINISHED",
    );
  });

  it("is refused if the tries of all blocks are stored", async () => {
    const database = new MemoryDatabase();
    await openChain({ network, database, stateLayout: "archive" });
    await assert.rejects(
      pruneHistory({ network, database, flatState }),
      (error) => error instanceof ChainError && error.code === "STATE_LAYOUT",
    );
  });
});

async function count(database: MemoryDatabase, table: number): Promise<number> {
  let entries = 0;
  for await (const _ of database.entries(table)) entries++;
  return entries;
}
