import assert from "node:assert/strict";
import { checkDatabase } from "@cambium/chain-maintenance";
import { MemoryDatabase } from "@cambium/database";
import { FailingDatabase } from "@cambium/test-utils/failing-database";
import { Mine, NOW, network } from "@cambium/test-utils/mined-chains";
import type { Block } from "@cambium/types";
import { localBlock, openChain } from "../../src/index.js";

const BLOCKS = 600;
const blockHistory = { blocks: 70, minBlocks: 4, uncleBlocks: 20 };
/** The multiple of 256 below the blocks that are kept. */
const OLDEST = 512;
const now = () => NOW;

describe("a chain that drops old blocks in the background", () => {
  const blocks: Block[] = [];

  before(async () => {
    const mine = new Mine(await openChain({ network, database: new MemoryDatabase(), now }));
    for (let number = 1; number <= BLOCKS; number++) blocks.push(await mine.block());
  });

  it("keeps the latest ones", async () => {
    const database = new MemoryDatabase();
    const chain = await openChain({ network, database, now, blockHistory });
    for (const block of blocks) await chain.import(localBlock(block));
    while (chain.earliestBlock() < OLDEST) await new Promise(setImmediate);
    await chain.close();
    const reopened = await openChain({ network, database, now });
    assert.equal(reopened.earliestBlock(), OLDEST);
    assert.deepEqual(reopened.best().hash, blocks.at(-1)!.hash);
    assert.equal(reopened.blockByNumber(OLDEST)?.number, OLDEST);
    assert.throws(() => reopened.blockByNumber(OLDEST - 1), { code: "BLOCK_PRUNED" });
    assert.deepEqual((await checkDatabase(database, network, { deep: true })).problems, []);
  });

  it("begins when it is opened, if its database has more", async () => {
    const database = new MemoryDatabase();
    const all = await openChain({ network, database, now });
    for (const block of blocks) await all.import(localBlock(block));
    await all.close();
    const chain = await openChain({ network, database, now, blockHistory });
    while (chain.earliestBlock() < OLDEST) await new Promise(setImmediate);
    await chain.close();
  });

  it("leaves a sound database if a write fails at any moment", async () => {
    for (const batches of [257, 300, 330, 590]) {
      const database = new MemoryDatabase();
      const chain = await openChain({ network, database: new FailingDatabase(database, batches), now, blockHistory });
      for (const block of blocks) await chain.import(localBlock(block)).catch(() => undefined);
      await chain.close();
      assert.deepEqual((await checkDatabase(database, network, { deep: true })).problems, []);
      const again = await openChain({ network, database, now, blockHistory });
      for (const block of blocks) await again.import(localBlock(block));
      assert.deepEqual(again.best().hash, blocks.at(-1)!.hash);
      await again.close();
    }
  });

  it("refuses blocks that fork off below the oldest one", async () => {
    const database = new MemoryDatabase();
    const chain = await openChain({ network, database, now, blockHistory });
    for (const block of blocks) await chain.import(localBlock(block));
    const other = await openChain({ network, database: new MemoryDatabase(), now });
    for (const block of blocks.slice(0, OLDEST)) await other.import(localBlock(block));
    const mine = new Mine(other, "b");
    const above = await mine.block();
    assert.equal((await chain.import(localBlock(above))).kind, "imported-side");
    await other.rewind(blocks[OLDEST - 4]!.hash);
    const below = await new Mine(other, "b").block();
    while (chain.earliestBlock() < OLDEST) await new Promise(setImmediate);
    assert.equal((await chain.import(localBlock(below))).kind, "missing-parent");
  });
});
