import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChainError } from "@cambium/chain-store";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase, type Write } from "@cambium/database";
import type { Evm } from "@cambium/evm";
import { equalBytes, toHex } from "@cambium/primitives";
import { chainBlocks } from "@cambium/test-utils/chain-files";
import type { Block } from "@cambium/types";
import { type Chain, type ChainEvent, createChainEvm, localBlock, openChain, openReader } from "../../src/index.js";

const network = NETWORKS.local;

/** Checks that the blocks of the best chain are linked and that their transactions are indexed. */
function assertConsistent(chain: Chain): void {
  const { header } = chain.best();
  assert.equal(chain.hashByNumber(header.number + 1), undefined);
  for (let number = 1; number <= header.number; number++) {
    const block = chain.blockByNumber(number)!;
    assert(equalBytes(block.header.parentHash, chain.hashByNumber(number - 1)!));
    for (const [index, { hash }] of block.transactions.entries()) {
      const found = chain.findTransaction(hash);
      assert.deepEqual([found?.header.number, found?.index], [number, index]);
    }
  }
}

/** Writes with a delay, like a disk. */
class SlowDatabase extends MemoryDatabase {
  override async write(batch: readonly Write[]): Promise<void> {
    await sleep(10);
    await super.write(batch);
  }
}

describe("chain with competing branches", () => {
  let blocks: Block[];

  before(async () => {
    blocks = await chainBlocks("uncles-and-reorgs");
  });

  it("updates indexes with the best chain and notifies listeners in order", async () => {
    const chain = await openChain({ network, database: new MemoryDatabase() });
    const events: ChainEvent[] = [];
    chain.on((event) => events.push(event));
    let reorganisations = 0;
    for (const block of blocks) {
      const before = chain.best();
      const result = await chain.import(localBlock(block));
      if (result.kind !== "imported-best" || result.reorganisation === undefined) continue;
      reorganisations++;
      const { removed, added } = result.reorganisation;
      assert.equal(toHex(removed.at(-1)!), toHex(before.hash));
      assert.equal(toHex(added.at(-1)!), toHex(block.hash));
      for (const hash of removed) assert.equal(chain.isOnBestChain(hash), false);
      for (const hash of added) assert.equal(chain.isOnBestChain(hash), true);
      assertConsistent(chain);
    }
    assert(reorganisations > 0);
    assert.equal(events.filter(({ kind }) => kind === "reorg").length, reorganisations);
    assertConsistent(chain);
  });

  it("decodes a transaction that is found, and not the others of its block", async () => {
    const database = new MemoryDatabase();
    const chain = await openChain({ network, database });
    for (const block of blocks) await chain.import(localBlock(block));
    const work: unknown[] = [];
    const onWork = (kind: unknown) => work.push(kind);
    subscribe("cambium:codec-work", onWork);
    const found = blocks.flatMap(({ transactions }) =>
      // Readers share no cache: none has read the block.
      transactions.flatMap(({ hash }) => openReader({ network, database }).findTransaction(hash)?.transaction ?? []),
    );
    unsubscribe("cambium:codec-work", onWork);
    assert(found.length > 0);
    assert(!work.includes("transactions"));
    const sent = new Map(blocks.flatMap(({ transactions }) => transactions.map((one) => [toHex(one.hash), one])));
    for (const one of found) assert.deepEqual(one.sender, sent.get(toHex(one.hash))!.sender);
    assertConsistent(chain);
  });

  it("returns the same results for overlapping imports", async () => {
    const chain = await openChain({ network, database: new MemoryDatabase() });
    const received: string[] = [];
    chain.on(({ block }) => received.push(toHex(block.hash)));
    const results = await Promise.all(blocks.map((block) => chain.import(localBlock(block))));
    const imported = blocks.filter((_, index) => results[index]!.kind.startsWith("imported"));
    assert.deepEqual(
      received,
      imported.map(({ hash }) => toHex(hash)),
    );
    assertConsistent(chain);
  });

  it("reports a block as known only once it can be read and listeners were notified", async () => {
    const chain = await openChain({ network, database: new SlowDatabase() });
    const received: string[] = [];
    chain.on(({ block }) => received.push(toHex(block.hash)));
    const first = blocks[0]!;
    void chain.import(localBlock(first));
    assert.equal((await chain.import(localBlock(first))).kind, "already-known");
    assert.deepEqual(received, [toHex(first.hash)]);
    assert.equal(chain.isOnBestChain(first.hash), true);
  });

  it("neither accepts a block nor records it as invalid if an internal error prevents its validation", async () => {
    const evm = createChainEvm(network);
    let isBroken = true;
    const breaking: Evm = {
      ...evm,
      execute: (run) => (isBroken ? (undefined as unknown as Evm) : evm).execute(run),
    };
    const chain = await openChain({ network, database: new MemoryDatabase(), evm: breaking });
    const first = blocks[0]!;
    const { number, hash } = first;
    await assert.rejects(chain.import(localBlock(first)), (error: ChainError) => {
      assert(error.details.code === "INTERNAL_FAULT");
      const { reason, ...rest } = error.details;
      assert.deepEqual(rest, { code: "INTERNAL_FAULT", number, hash });
      assert.match(reason, /^TypeError: .*\n +at /);
      return true;
    });
    assert.equal(chain.best().header.number, 0);
    assert.equal(chain.isKnownInvalid(hash), false);
    isBroken = false;
    assert.equal((await chain.import(localBlock(first))).kind, "imported-best");
  });

  it("continues if a listener throws, and does not notify removed listeners", async () => {
    const failures: unknown[] = [];
    const onListenerError = (error: unknown) => failures.push(error);
    const chain = await openChain({ network, database: new MemoryDatabase(), onListenerError });
    let received = 0;
    chain.on(() => {
      throw new Error("listener");
    });
    const leave = chain.on(() => received++);
    assert.equal((await chain.import(localBlock(blocks[0]!))).kind, "imported-best");
    leave();
    await chain.import(localBlock(blocks[1]!));
    assert.equal(failures.length, 2);
    assert.equal(received, 1);
  });

  it("reads the ancestors of a side branch", async () => {
    const chain = await openChain({ network, database: new MemoryDatabase() });
    for (const block of blocks) await chain.import(localBlock(block));
    const side = blocks.filter(({ hash }) => chain.headerByHash(hash) !== undefined && !chain.isOnBestChain(hash));
    assert(side.length > 0);
    for (const block of side) {
      const branch = chain.ancestors(block.hash);
      for (let number = block.number; number > 0; number--) {
        assert(equalBytes(branch.header(number)!.parentHash, branch.hash(number - 1)!));
      }
      assert.equal(branch.header(block.number + 1), undefined);
    }
  });
});
