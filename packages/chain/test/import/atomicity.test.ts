import assert from "node:assert/strict";
import { checkDatabase } from "@cambium/chain-maintenance";
import { ChainStore } from "@cambium/chain-store";
import { NETWORKS } from "@cambium/config";
import { type Database, DatabaseError, MemoryDatabase } from "@cambium/database";
import { toHex } from "@cambium/primitives";
import { chainBlocks } from "@cambium/test-utils/chain-files";
import { FailingDatabase } from "@cambium/test-utils/failing-database";
import type { Block } from "@cambium/types";
import { type BlockInput, localBlock, openChain } from "../../src/index.js";

const network = NETWORKS.local;

describe("one block, one batch", () => {
  let blocks: Block[];

  before(async () => {
    blocks = (await chainBlocks("uncles-and-reorgs")).slice(0, 40);
  });

  for (const source of ["local", "sync"] as const) {
    it(`leaves a complete chain wherever writing stops, and resumes to the same best block: ${source}`, async () => {
      const whole = await openChain({ network, database: new MemoryDatabase() });
      for (const block of blocks) await whole.import(localBlock(block));
      for (const batches of [1, 2, 3, 7, 8, 9, 15, 30]) {
        const disk = new MemoryDatabase();
        await importUntilFailure(new FailingDatabase(disk, batches), blocks, source);
        const { problems } = await checkDatabase(disk, network, { deep: true });
        assert.deepEqual(problems, []);
        const again = await openChain({ network, database: disk });
        for (const block of blocks) await again.import(localBlock(block));
        assert.equal(toHex(again.best().hash), toHex(whole.best().hash));
        assert.deepEqual((await checkDatabase(disk, network, { deep: true })).problems, []);
      }
    });
  }

  it("writes several old blocks in one batch, and each one before its event", async () => {
    const database = new MemoryDatabase();
    let batches = 0;
    const { write } = database;
    database.write = (batch) => {
      batches++;
      return write.call(database, batch);
    };
    const chain = await openChain({ network, database });
    const before = batches;
    const events: string[] = [];
    chain.on(({ hash }) => {
      events.push(toHex(hash));
      assert.notEqual(new ChainStore(database, network).outcome(hash), undefined);
    });
    const results = await Promise.all(blocks.map((block) => chain.import({ ...localBlock(block), source: "sync" })));
    const imported = blocks.filter((_, i) => results[i]!.kind.startsWith("imported"));
    assert.deepEqual(
      events,
      imported.map(({ hash }) => toHex(hash)),
    );
    assert(batches - before < imported.length, `${batches - before} batches of ${imported.length} blocks`);
    await chain.close();
  });

  it("rejects blocks after a failed batch and shows nothing of it", async () => {
    const chain = await openChain({ network, database: new FailingDatabase(new MemoryDatabase(), 2) });
    assert.equal((await chain.import(localBlock(blocks[0]!))).kind, "imported-best");
    const failures = await Promise.allSettled(blocks.slice(1, 3).map((block) => chain.import(localBlock(block))));
    for (const failure of failures) {
      assert(failure.status === "rejected" && failure.reason instanceof DatabaseError);
      assert.equal(failure.reason.code, "DATABASE_WRITE");
    }
    assert.equal(chain.best().header.number, 1);
    await assert.rejects(chain.import(localBlock(blocks[1]!)), DatabaseError);
  });
});

async function importUntilFailure(
  database: Database,
  blocks: readonly Block[],
  source: BlockInput["source"],
): Promise<void> {
  const chain = await openChain({ network, database });
  await Promise.allSettled(blocks.map((block) => chain.import({ ...localBlock(block), source })));
  await chain.close();
}
