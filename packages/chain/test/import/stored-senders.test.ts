import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { BlockCache, ChainStore, TABLES } from "@cambium/chain-store";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { concatBytes, EMPTY_BYTES, toHex } from "@cambium/primitives";
import { chainBlocks } from "@cambium/test-utils/chain-files";
import { Block, Transaction } from "@cambium/types";
import { localBlock, openChain, openReader } from "../../src/index.js";

const network = NETWORKS.local;

/** Number of signers that `action` recovers. */
function recoveries(action: () => void): number {
  let count = 0;
  const onWork = (kind: unknown) => {
    if (kind === "sender") count++;
  };
  subscribe("cambium:codec-work", onWork);
  action();
  unsubscribe("cambium:codec-work", onWork);
  return count;
}

/** The sender by a recovery. */
function recovered({ encoded, isReward }: Transaction): string {
  return toHex(Transaction.decode(encoded, isReward).sender!);
}

describe("stored senders", () => {
  const database = new MemoryDatabase();
  /** The stored ones, on the best chain or not. */
  const blocks: Block[] = [];

  before(async () => {
    const chain = await openChain({ network, database });
    for (const block of await chainBlocks("uncles-and-reorgs")) {
      const { kind } = await chain.import(localBlock(block));
      if (kind.startsWith("imported")) blocks.push(block);
    }
    assert(blocks.some(({ hash }) => !chain.isOnBestChain(hash)));
  });

  /** Reads all blocks and transactions, each through a reader that has read nothing before; returns the recoveries. */
  function readAll(from = database): number {
    return recoveries(() => {
      for (const { hash, transactions } of blocks) {
        const read = openReader({ network, database: from }).blockByHash(hash)!.transactions;
        const found = transactions.map((one) => openReader({ network, database: from }).findTransaction(one.hash));
        for (const one of [...read, ...found.flatMap((one) => one?.transaction ?? [])]) void one.sender;
      }
    });
  }

  async function entries(of = database): Promise<{ key: Uint8Array; value: Uint8Array }[]> {
    const all: { key: Uint8Array; value: Uint8Array }[] = [];
    for await (const { key, value } of of.entries(TABLES.senders)) all.push({ key, value });
    return all;
  }

  /** Replaces every entry. */
  async function replaced(change: (value: Uint8Array) => Uint8Array | undefined): Promise<MemoryDatabase> {
    const changed = new MemoryDatabase(database);
    for (const { key, value } of await entries()) {
      await changed.write([{ table: TABLES.senders, key, value: change(value) }]);
    }
    return changed;
  }

  it("save the recovery for blocks and single transactions, side blocks included", () => {
    assert.equal(readAll(), 0);
    for (const { hash } of blocks) {
      for (const transaction of openReader({ network, database }).blockByHash(hash)!.transactions) {
        assert.equal(toHex(transaction.sender!), recovered(transaction));
      }
    }
  });

  it("take 20 bytes a transaction, and nothing for blocks without signed ones", async () => {
    const signed = blocks.filter(({ transactions }) => transactions.some(({ isSigned }) => isSigned));
    assert(signed.length < blocks.length);
    const sizes = (await entries()).map(({ value }) => value.length).sort();
    assert.deepEqual(sizes, signed.map(({ transactions }) => 20 * transactions.length).sort());
  });

  it("are not needed: without them, or with others than 20 bytes a transaction, signers are recovered", async () => {
    const signed = readAll(await replaced(() => undefined));
    assert(signed > 0);
    const wrong = [
      () => EMPTY_BYTES,
      (value: Uint8Array) => value.slice(1),
      (value: Uint8Array) => concatBytes(value, value),
      () => new Uint8Array(1_000_000).fill(1),
    ];
    for (const change of wrong) assert.equal(readAll(await replaced(change)), signed);
    // Zeros stand for an unknown sender.
    assert.equal(readAll(await replaced((value) => new Uint8Array(value.length))), signed);
  });

  it("reach blocks that are cached without them", () => {
    const cache = new BlockCache();
    const store = new ChainStore(database, network, cache);
    for (const block of blocks) cache.blocks.set(toHex(block.hash), Block.decode(block.encode(), network));
    const count = recoveries(() => {
      for (const { hash, transactions } of blocks) {
        void store.transaction({ number: store.header(hash)!.number, hash }, 0)!.sender;
        for (const { sender } of store.block(hash)!.transactions) assert(sender);
        assert.equal(store.block(hash)!.transactions.length, transactions.length);
      }
    });
    assert.equal(count, 0);
  });

  it("are deleted with their blocks", async () => {
    const copy = new MemoryDatabase(database);
    const chain = await openChain({ network, database: copy });
    const number = chain.best().header.number - 5;
    await chain.rewind(chain.hashByNumber(number)!);
    const signed = blocks.filter(({ transactions }) => transactions.some(({ isSigned }) => isSigned));
    const expected = signed.filter((block) => block.number <= number).map(({ hash }) => toHex(hash));
    const kept = (await entries(copy)).map(({ key }) => toHex(key.subarray(8)));
    assert.deepEqual(kept.sort(), expected.sort());
    assert(kept.length < signed.length);
  });
});
