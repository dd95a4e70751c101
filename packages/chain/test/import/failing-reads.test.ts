import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { type Database, DatabaseError, MemoryDatabase } from "@cambium/database";
import { chainBlocks } from "@cambium/test-utils/chain-files";
import { random } from "@cambium/test-utils/random";
import { SEED } from "@cambium/test-utils/seed";
import type { Block } from "@cambium/types";
import { type Chain, localBlock, openChain } from "../../src/index.js";

/** Rule that the recorded chains do not know. */
const recordedBefore = { rskip378: -1 };
const network = { ...NETWORKS.local, ruleHeights: { ...NETWORKS.local.ruleHeights, ...recordedBefore } };
/** State nodes that are cached: few, so that most reads reach the database. */
const NODES = 16;
/** Blocks between two failures, at most. */
const BLOCKS_BETWEEN = 3;
const READS_OF_A_BLOCK = 40;
/** Reads of a reorganisation that do not fail, between two that do, at most. */
const SKIPPED_READS = 15;

/** A database that fails single reads, as on a failing disk. */
class UnreadableDatabase implements Database {
  private left = Number.POSITIVE_INFINITY;
  failures = 0;

  constructor(private readonly inner: MemoryDatabase) {}

  write: Database["write"] = (batch) => this.inner.write(batch);
  entries: Database["entries"] = (table) => this.inner.entries(table);
  close = () => this.inner.close();

  get: Database["get"] = (table, key) => {
    if (this.left-- > 0) return this.inner.get(table, key);
    this.left = Number.POSITIVE_INFINITY;
    this.failures++;
    throw new DatabaseError({ code: "DATABASE_READ", reason: "EIO" });
  };

  failAfter(reads: number): void {
    this.left = reads;
  }
}

describe("import from a disk that cannot be read", () => {
  for (const name of ["bridge-basic", "uncles-and-reorgs", "contracts", "parallel"]) {
    it(`blames neither block nor sender, and imports the block when it can be read: ${name}`, async () => {
      const blocks = await chainBlocks(name);
      const results = await resultsOf(await openChain({ network, database: new MemoryDatabase() }), blocks);
      const database = new UnreadableDatabase(new MemoryDatabase());
      const chain = await openChain({ network, database, nodeCacheCapacity: NODES });
      const chance = random(SEED);
      for (const [index, block] of blocks.entries()) {
        if (index % BLOCKS_BETWEEN === 0) database.failAfter(Math.floor(chance() * READS_OF_A_BLOCK));
        const before = database.failures;
        const first = await resultOf(chain, block);
        const hasFailed = database.failures > before;
        assert.equal(first instanceof DatabaseError, hasFailed, `block ${index}: ${JSON.stringify(first)}`);
        if (hasFailed) assert.deepEqual(await resultOf(chain, block), results[index]);
        else assert.deepEqual(first, results[index]);
      }
      assert(database.failures > 0);
    });
  }
});

describe("a reorganisation on a disk that cannot be read", () => {
  it("changes nothing, whatever read fails, also if the chain is then closed", async () => {
    const blocks = await chainBlocks("uncles-and-reorgs");
    const results = await resultsOf(await openChain({ network, database: new MemoryDatabase() }), blocks);
    const database = new UnreadableDatabase(new MemoryDatabase());
    const open = () => openChain({ network, database: withoutClose(database), nodeCacheCapacity: NODES });
    let chain = await open();
    const chance = random(SEED);
    for (const [index, block] of blocks.entries()) {
      const isReorganisation = (results[index] as { reorganisation?: unknown }).reorganisation !== undefined;
      const best = chain.best();
      for (let reads = 0; isReorganisation; reads += 1 + Math.floor(chance() * SKIPPED_READS)) {
        const { failures } = database;
        database.failAfter(reads);
        const result = await resultOf(chain, block);
        database.failAfter(Number.POSITIVE_INFINITY);
        if (database.failures === failures) break;
        assert.ok(result instanceof DatabaseError, `block ${index}, read ${reads}: ${JSON.stringify(result)}`);
        await chain.close();
        chain = await open();
        assert.deepEqual(chain.best(), best, `block ${index}, read ${reads}`);
      }
      const expected = isReorganisation ? { kind: "already-known" } : results[index];
      assert.deepEqual(await resultOf(chain, block), expected, `block ${index}`);
    }
    assert.ok(database.failures > 15, String(database.failures));
  });
});

/** A database that can be opened again. */
function withoutClose(database: Database): Database {
  return { get: database.get, write: database.write, entries: database.entries, close: async () => undefined };
}

async function resultsOf(chain: Chain, blocks: readonly Block[]): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const block of blocks) results.push(await resultOf(chain, block));
  return results;
}

/** Returns the result of an import, or the error with which it is rejected. */
function resultOf(chain: Chain, block: Block): Promise<unknown> {
  return chain.import(localBlock(block)).catch((error: unknown) => error);
}
