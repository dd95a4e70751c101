import assert from "node:assert/strict";
import { type Chain, localBlock, openChain, openReader, SnapshotInstaller, SnapshotServer } from "@cambium/chain";
import { type StateLayout, TABLES } from "@cambium/chain-store";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase, type Write } from "@cambium/database";
import { toHex } from "@cambium/primitives";
import { chainBlocks } from "@cambium/test-utils/chain-files";
import { random } from "@cambium/test-utils/random";
import { SEED } from "@cambium/test-utils/seed";
import { verifyStateChunk } from "@cambium/trie";
import type { Block } from "@cambium/types";
import { checkDatabase } from "../../src/index.js";
import { rebuildChain } from "../../src/repair/repair-database.js";

const network = NETWORKS.local;
const TRIALS = 8;

for (const stateLayout of ["archive", "flat"] as const) {
  describe(`rebuilding a chain, ${stateLayout} layout`, () => rebuildTests(stateLayout));
}

function rebuildTests(stateLayout: StateLayout): void {
  const chance = random(SEED);
  const below = (limit: number) => Math.floor(chance() * limit);

  /** Removes a few random entries of random tables. */
  async function withoutSome(whole: MemoryDatabase): Promise<MemoryDatabase> {
    const removed: Write[] = [];
    for (let i = 0; i <= below(4); i++) {
      const table = Object.values(TABLES)[below(Object.values(TABLES).length)]!;
      const keys: Uint8Array[] = [];
      for await (const { key } of whole.entries(table)) keys.push(key);
      if (keys.length > 0) removed.push({ table, key: keys[below(keys.length)]!, value: undefined });
    }
    const database = new MemoryDatabase(whole);
    await database.write(removed);
    return database;
  }

  async function imported(blocks: readonly Block[], database = new MemoryDatabase()): Promise<Chain> {
    const chain = await openChain({ network, database, stateLayout });
    for (const block of blocks) await chain.import(localBlock(block));
    return chain;
  }

  it("keeps or restores all blocks that can be, whatever entries are missing", async () => {
    const blocks = await chainBlocks("uncles-and-reorgs");
    const whole = new MemoryDatabase();
    const best = (await imported(blocks, whole)).best().hash;
    for (let trial = 0; trial < TRIALS; trial++) {
      const database = await withoutSome(whole);
      await rebuildChain(database, { network });
      const { problems } = await checkDatabase(database, network, { deep: true });
      assert.deepEqual(problems, [], `SEED=${SEED}, trial ${trial}`);
      assert.equal(toHex((await imported(blocks, database)).best().hash), toHex(best), `SEED=${SEED}, trial ${trial}`);
    }
  });

  it("corrects senders without executing or deleting blocks, and deletes those of unknown blocks", async () => {
    const whole = new MemoryDatabase();
    await imported(await chainBlocks("contracts"), whole);
    const all: Write[] = [];
    for await (const entry of whole.entries(TABLES.senders)) all.push({ table: TABLES.senders, ...entry });
    const [truncated, wrong, missing, ...rest] = all;
    assert(rest.length > 0);
    const database = new MemoryDatabase(whole);
    await database.write([
      { ...truncated!, value: truncated!.value!.slice(1) },
      { ...wrong!, value: wrong!.value!.map((byte) => byte ^ 1) },
      { ...missing!, value: undefined },
      { ...wrong!, key: wrong!.key.map((byte) => byte ^ 1) },
      { ...wrong!, key: Uint8Array.of(1, 2, 3) },
    ]);
    const { executed, deleted } = await rebuildChain(database, { network });
    assert.deepEqual({ executed, deleted }, { executed: 0, deleted: 0 });
    const kept: Write[] = [];
    for await (const entry of database.entries(TABLES.senders)) kept.push({ table: TABLES.senders, ...entry });
    assert.deepEqual(kept, [truncated, wrong, ...rest]);
    assert.deepEqual((await checkDatabase(database, network, { deep: true })).problems, []);
  });

  it("keeps a chain that started from a snapshot, or only genesis", async () => {
    const origin = new MemoryDatabase();
    const blocks = await chainBlocks("parallel");
    const chain = await imported(blocks, origin);
    const server = new SnapshotServer(chain, { interval: 37, depth: 20, blocks: 10, chunkBytes: 700 });
    const whole = new MemoryDatabase();
    const installer = await SnapshotInstaller.open({ network, database: whole, stateLayout });
    const checkpoint = chain.blockByNumber(54)!;
    await installer.begin(checkpoint, chain.totalDifficulty(checkpoint.hash)!);
    for (let from = installer.progress!.nextChunk; from !== undefined; from = installer.progress!.nextChunk) {
      const chunk = server.chunk(54, from)!;
      await installer.saveChunk(verifyStateChunk(chunk, installer.stateRoot), chunk.to);
    }
    while (installer.progress!.earliest.number > 19) {
      await installer.addBlocks([chain.blockByNumber(installer.nextBlock().number)!]);
    }
    await installer.finish();
    await imported(blocks, whole);
    for (let trial = 0; trial < TRIALS; trial++) {
      const database = await withoutSome(whole);
      await rebuildChain(database, { network });
      const { problems } = await checkDatabase(database, network, { deep: true });
      assert.deepEqual(problems, [], `SEED=${SEED}, trial ${trial}`);
      const reader = openReader({ network, database });
      const { header, hash } = reader.best();
      // The blocks below the snapshot's were imported too, as far as they do not reach it. If the record of the
      // snapshot is lost, its blocks are executed on top of them.
      const isWithinSnapshot = header.number >= 19 && header.number < 54;
      assert.ok(!isWithinSnapshot || reader.snapshotBlock() === 0, `SEED=${SEED}: best block ${header.number}`);
      assert.deepEqual(hash, chain.hashByNumber(header.number));
      assert.deepEqual(reader.stateAfter(hash)!.root, chain.stateAfter(hash)!.root);
    }
  });
}
