import assert from "node:assert/strict";
import { type ChainOptions, localBlock, openChain } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { type Database, MemoryDatabase, type Write } from "@cambium/database";
import { chainBlocks } from "@cambium/test-utils/chain-files";
import type { Block } from "@cambium/types";
import { checkDatabase, rewindDatabase } from "../../src/index.js";

const network = NETWORKS.local;
const TARGET = 5;

/** Fails after a number of batches, as if the process were killed. */
class KilledDatabase extends MemoryDatabase {
  constructor(
    base: MemoryDatabase,
    private batches: number,
  ) {
    super(base);
  }

  override write: Database["write"] = async (batch: readonly Write[]) => {
    if (this.batches-- <= 0) throw new Error("killed");
    await MemoryDatabase.prototype.write.call(this, batch);
  };
}

/** Layouts to test. The trie stored in the flat layout may belong to a removed block, or not. */
const LAYOUTS: readonly Pick<ChainOptions, "stateLayout" | "flatState">[] = [
  { stateLayout: "archive" },
  { stateLayout: "flat" },
  { stateLayout: "flat", flatState: { maxBlocks: 1 } },
];

function rewindTests(layout: (typeof LAYOUTS)[number]): void {
  let blocks: readonly Block[];
  let whole: MemoryDatabase;
  /** Number of known blocks up to the target. */
  let known = 0;

  before(async () => {
    blocks = await chainBlocks("uncles-and-reorgs");
    whole = new MemoryDatabase();
    const chain = await openChain({ network, database: whole, ...layout });
    for (const block of blocks) await chain.import(localBlock(block));
    for (let number = 0; number <= TARGET; number++) known += chain.hashesByNumber(number).length;
  });

  it("leaves a sound chain wherever it is killed, and continues", async () => {
    for (let batches = 0, isDone = false; !isDone; batches++) {
      const database = new KilledDatabase(whole, batches);
      const killed = await openChain({ network, database });
      isDone = await rewindDatabase(killed, TARGET).then(
        () => true,
        () => false,
      );
      const disk = new MemoryDatabase(database);
      assert.deepEqual((await checkDatabase(disk, network, { deep: true })).problems, []);
      const chain = await openChain({ network, database: disk });
      await rewindDatabase(chain, TARGET);
      assert.equal(chain.best().header.number, TARGET);
      const { problems, blocks: left } = await checkDatabase(disk, network, { deep: true });
      assert.deepEqual(problems, []);
      assert.equal(left, known);
      for (const block of blocks) await chain.import(localBlock(block));
      assert.deepEqual((await checkDatabase(disk, network, { deep: true })).problems, []);
      assert.ok(batches < 20);
    }
  });

  it("refuses a block that is not on the best chain", async () => {
    const chain = await openChain({ network, database: new MemoryDatabase(whole) });
    await assert.rejects(rewindDatabase(chain, 100_000), { code: "REWIND_TARGET" });
  });
}

for (const layout of LAYOUTS) {
  const { stateLayout, flatState } = layout;
  const name = flatState === undefined ? stateLayout : `${stateLayout}, trie stored with each block`;
  describe(`rewinding a database (${name})`, () => rewindTests(layout));
}
