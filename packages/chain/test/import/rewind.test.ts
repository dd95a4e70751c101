import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { equalBytes } from "@cambium/primitives";
import type { Block } from "@cambium/types";
import { type Chain, ChainError, type ChainEvent, localBlock, openChain, TABLES } from "../../src/index.js";
import { chainBlocks } from "../vectors.js";

const network = NETWORKS.local;

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
