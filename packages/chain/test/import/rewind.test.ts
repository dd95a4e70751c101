import assert from "node:assert/strict";
import { checkDatabase, rebuildChain } from "@cambium/chain-maintenance";
import { ChainError, TABLES } from "@cambium/chain-store";
import { NETWORKS } from "@cambium/config";
import { DelayedDatabase, MemoryDatabase } from "@cambium/database";
import { equalBytes, fromHex, toHex } from "@cambium/primitives";
import { chainBlocks } from "@cambium/test-utils/chain-files";
import type { Block } from "@cambium/types";
import { type Chain, type ChainEvent, LocalChain, localBlock, openChain } from "../../src/index.js";
import { openParts } from "../../src/open-chain.js";

const network = NETWORKS.local;

/** Keys of a table. */
async function hashesIn(database: MemoryDatabase, table: number): Promise<string[]> {
  const hashes: string[] = [];
  for await (const { key } of database.entries(table)) hashes.push(toHex(key));
  return hashes.sort();
}

describe("rewinding the best block", () => {
  let blocks: readonly Block[];
  let database: MemoryDatabase;
  let chain: Chain;

  before(async () => {
    blocks = await chainBlocks("uncles-and-reorgs");
  });

  beforeEach(async () => {
    database = new MemoryDatabase();
    chain = await openChain({ network, database });
    for (const block of blocks) await chain.import(localBlock(block));
  });

  it("deletes all blocks above, notifies listeners, and accepts the same blocks again", async () => {
    const before = chain.best();
    const target = chain.hashByNumber(Math.floor(before.header.number / 2))!;
    const height = chain.headerByHash(target)!.number;
    const removed = Array.from(
      { length: before.header.number - height },
      (_, i) => chain.hashByNumber(height + 1 + i)!,
    );
    const events: ChainEvent[] = [];
    const seen: (Block | undefined)[] = [];
    chain.on((event) => {
      events.push(event);
      if (event.kind === "reorg") seen.push(...event.reorganisation.removed.map((hash) => chain.blockByHash(hash)));
    });
    await chain.rewind(target);
    assert.deepEqual(chain.best().hash, target);
    assert.equal(events.length, 1);
    assert(events[0]!.kind === "reorg");
    assert.deepEqual(events[0]!.reorganisation, { commonAncestor: target, removed, added: [] });
    assert(seen.every((block) => block !== undefined));
    for (const block of blocks.filter(({ number }) => number > height)) {
      assert.equal(chain.headerByHash(block.hash), undefined);
      assert.equal(chain.blockByHash(block.hash), undefined);
      assert.deepEqual(chain.hashesByNumber(block.number), []);
      assert.equal(database.get(TABLES.headers, block.hash), undefined);
    }
    const lost = blocks.find(({ hash }) => equalBytes(hash, removed[0]!))!;
    assert.equal(chain.findTransaction(lost.transactions[0]!.hash), undefined);
    for (const block of blocks.filter(({ number }) => number > height)) {
      assert.notEqual((await chain.import(localBlock(block))).kind, "invalid");
    }
    assert.deepEqual(chain.best(), before);
  });

  it("survives reopening", async () => {
    const target = chain.hashByNumber(3)!;
    await chain.rewind(target);
    const again = await openChain({ network, database });
    assert.deepEqual(again.best().hash, target);
    const next = blocks.find(({ header }) => equalBytes(header.parentHash, target))!;
    assert.equal((await again.import(localBlock(next))).kind, "imported-best");
  });

  it("rewinds to genesis, and does nothing at the best block", async () => {
    const events: ChainEvent[] = [];
    await chain.rewind(chain.genesis.hash);
    assert.equal(chain.best().header.number, 0);
    chain.on((event) => void events.push(event));
    await chain.rewind(chain.genesis.hash);
    assert.deepEqual(events, []);
  });

  it("rejects blocks that are not on the best chain", async () => {
    const unknown = new Uint8Array(32);
    const side = blocks.find(({ hash }) => chain.headerByHash(hash) !== undefined && !chain.isOnBestChain(hash))!;
    const before = chain.best();
    for (const hash of [unknown, side.hash]) {
      await assert.rejects(
        chain.rewind(hash),
        (error) => error instanceof ChainError && error.code === "UNKNOWN_BLOCK",
      );
    }
    assert.deepEqual(chain.best(), before);
  });
});

/** Milliseconds that no test takes. */
const LONG = 2 ** 30;

for (const isDelayed of [false, true])
  describe(`rewinding the best block of a local chain that writes ${isDelayed ? "later" : "at once"}`, () => {
    let blocks: readonly Block[];
    let database: MemoryDatabase;
    let chain: LocalChain;
    let best: Uint8Array;
    let height: number;
    let removed: readonly Block[];

    before(async () => {
      blocks = await chainBlocks("uncles-and-reorgs");
    });

    beforeEach(async () => {
      database = new MemoryDatabase();
      const delayed = isDelayed ? new DelayedDatabase(database, { delay: LONG }) : undefined;
      const fail = (error: Error) => assert.fail(error);
      chain = new LocalChain(await openParts({ network, database: delayed ?? database }), fail, delayed);
      await importAll(chain, blocks.slice(0, 3));
      chain.prepareRewind();
      await importAll(chain, blocks.slice(3));
      await chain.written();
      best = chain.best().hash;
      height = Math.floor(chain.best().header.number / 2);
      removed = blocks.filter(({ number }) => number > height);
      await chain.rewind(chain.hashByNumber(height)!);
    });

    async function importAll(chain: Chain, all: readonly Block[]): Promise<void> {
      for (const block of all) assert.notEqual((await chain.import(localBlock(block))).kind, "invalid");
    }

    function requireUnknown(chain: Chain, blocks: readonly Block[]): void {
      for (const { hash, number, transactions } of blocks) {
        assert.equal(chain.headerByHash(hash), undefined);
        assert.equal(chain.blockByHash(hash), undefined);
        assert.equal(chain.receipts(hash), undefined);
        assert.equal(chain.totalDifficulty(hash), undefined);
        assert.equal(chain.stateAfter(hash), undefined);
        assert.deepEqual([chain.hashByNumber(number), chain.hashesByNumber(number)], [undefined, []]);
        for (const transaction of transactions) assert.equal(chain.findTransaction(transaction.hash), undefined);
      }
    }

    async function problems(): Promise<readonly unknown[]> {
      return (await checkDatabase(database, network, { deep: true })).problems;
    }

    async function requireNothingElse(chain: Chain): Promise<void> {
      const { headers, outcomes, receipts, transactionIndex } = TABLES;
      const known = await hashesIn(database, outcomes);
      assert.deepEqual([await hashesIn(database, headers), await hashesIn(database, receipts)], [known, known]);
      for (const hash of await hashesIn(database, transactionIndex))
        assert.notEqual(chain.findTransaction(fromHex(hash)), undefined);
    }

    it("forgets all blocks above at once, and deletes them before it is closed", async () => {
      requireUnknown(chain, removed);
      await chain.close();
      await requireNothingElse(chain);
      assert.deepEqual(await problems(), []);
    });

    it("deletes them, but not those that are imported again, whatever is imported and rewound meanwhile", async () => {
      await importAll(chain, removed.slice(0, 2));
      await chain.rewind(chain.hashByNumber(height)!);
      requireUnknown(chain, removed);
      await chain.rewind(chain.hashByNumber(height - 2)!);
      requireUnknown(chain, removed);
      const again = blocks.filter(({ number }) => number > height - 2);
      await importAll(chain, again.slice(0, 4));
      await chain.rewind(chain.hashByNumber(height - 1)!);
      await importAll(chain, again);
      assert.deepEqual(chain.best().hash, best);
      await chain.written();
      await requireNothingElse(chain);
      assert.deepEqual(await problems(), []);
      for (const block of removed) assert.notEqual(chain.blockByHash(block.hash), undefined);
    });

    it("has the same states as a chain that never had the removed blocks", async () => {
      const other = await openChain({ network, database: new MemoryDatabase() });
      await importAll(
        other,
        blocks.filter(({ number }) => number <= height),
      );
      assert.deepEqual(chain.best(), other.best());
      for (let number = 0; number <= height; number++) {
        const hash = chain.hashByNumber(number)!;
        assert.deepEqual(chain.stateAfter(hash)!.state.root, other.stateAfter(hash)!.state.root);
        assert.deepEqual([...chain.stateAfter(hash)!.state.entries()], [...other.stateAfter(hash)!.state.entries()]);
      }
    });

    it("leaves nothing of them that a repair brings back", async () => {
      await chain.written();
      const repaired = new MemoryDatabase(database);
      await rebuildChain(repaired, { network });
      const next = await openChain({ network, database: repaired });
      assert.deepEqual(next.best().hash, chain.best().hash);
      requireUnknown(next, removed);
    });

    it("leaves a sound database without them, or with all of them, if the process is killed", async () => {
      assert.deepEqual(await problems(), []);
      if (isDelayed) {
        const before = await openChain({ network, database: new MemoryDatabase(database) });
        assert.deepEqual(before.best().hash, best);
      }
      await chain.written();
      assert.deepEqual(await problems(), []);
      await requireNothingElse(chain);
      const next = await openChain({ network, database });
      assert.equal(next.best().header.number, height);
      requireUnknown(next, removed);
      await importAll(next, removed);
      assert.deepEqual(next.best().hash, best);
      assert.deepEqual(await problems(), []);
      await requireNothingElse(next);
    });
  });
