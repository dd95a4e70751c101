import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { type Database, MemoryDatabase, type Table } from "@cambium/database";
import { measurementFamilies, toHex } from "@cambium/primitives";
import { type Block, packKnownSenders } from "@cambium/types";
import { createChainEvm, localBlock, openChain, openReader, TABLES } from "../../src/index.js";
import type { StateLayout } from "../../src/state/stored-states.js";
import { PrefetchExecution } from "../../src/threads/prefetch-execution.js";
import { TriePaths } from "../../src/threads/trie-paths.js";
import { chainBlocks } from "../vectors.js";

const network = NETWORKS.local;
const CHAINS = ["contracts", "parallel", "rewards", "transfers"];
const LAYOUTS: StateLayout[] = ["flat", "archive"];
const STATE_TABLES: readonly Table[] = [TABLES.flatState, TABLES.trieNodes, TABLES.codes, TABLES.stateNodes];

/** Notes which keys of states are read. */
class WatchedDatabase implements Database {
  read = new Set<string>();

  constructor(private readonly database: Database) {}

  get(table: Table, key: Uint8Array): Uint8Array | undefined {
    if (STATE_TABLES.includes(table)) this.read.add(`${table} ${toHex(key)}`);
    return this.database.get(table, key);
  }

  write(...parameters: Parameters<Database["write"]>): Promise<void> {
    return this.database.write(...parameters);
  }

  entries(table: Table): ReturnType<Database["entries"]> {
    return this.database.entries(table);
  }

  async close(): Promise<void> {}
}

/** The trie is stored with each block. */
function open(database: Database, stateLayout: StateLayout) {
  return openChain({ network, database, stateLayout, flatState: { maxChanges: 0 } });
}

function prefetchOf(database: Database, stateLayout: StateLayout): PrefetchExecution {
  const evm = createChainEvm(network);
  const paths = stateLayout === "flat" ? new TriePaths(database) : undefined;
  return new PrefetchExecution(openReader({ network, database, evm }), evm, paths);
}

function queued(block: Block) {
  return { bytes: block.encode(), senders: packKnownSenders(block.transactions) };
}

/** Keys of states that the import of a block reads if nothing is in memory, and those among them that were read ahead for it. */
async function readsOf(blocks: readonly Block[], next: Block, stateLayout: StateLayout, ahead: number) {
  const stored = new MemoryDatabase();
  const before = await open(stored, stateLayout);
  for (const block of blocks.slice(0, blocks.length - ahead)) await before.import(localBlock(block));
  const early = new WatchedDatabase(stored);
  assert(prefetchOf(early, stateLayout).prefetch(queued(next), () => false));
  for (const block of blocks.slice(blocks.length - ahead)) await before.import(localBlock(block));
  await before.close();
  const database = new WatchedDatabase(stored);
  const chain = await open(database, stateLayout);
  database.read = new Set();
  assert.match((await chain.import(localBlock(next))).kind, /^imported/);
  const found = [...database.read].filter((key) => early.read.has(key));
  return {
    all: database.read.size,
    found: found.length,
    missing: [...database.read].filter((key) => !early.read.has(key)),
  };
}

function count(name: string, result?: string): number {
  const family = measurementFamilies().find((one) => one.name === name);
  const series = family?.series.find(({ labels }) => labels.result === result);
  return series?.values()[0] ?? 0;
}

const counts = () => [
  ...["complete", "incomplete", "failed"].map((result) => count("cambium_block_prefetches_total", result)),
  count("cambium_block_prefetched_keys_total"),
];

/** What `use` adds to blocks that were complete, incomplete and failed, and to keys. */
function counted(use: () => void): number[] {
  const before = counts();
  use();
  return counts().map((after, i) => after - before[i]!);
}

describe("reading the state of queued blocks ahead", () => {
  for (const name of CHAINS)
    for (const layout of LAYOUTS)
      it(`reads nearly all that the import reads: ${name}, ${layout} layout`, async () => {
        const blocks = await chainBlocks(name);
        const total = { all: 0, found: 0 };
        for (let at = 20; at < blocks.length; at += Math.ceil(blocks.length / 10)) {
          const { all, found } = await readsOf(blocks.slice(0, at), blocks[at]!, layout, 0);
          total.all += all;
          total.found += found;
        }
        // What is missing are nodes beside those that are removed.
        assert(total.all > 200 && total.found > 0.97 * total.all, `${total.found} of ${total.all}`);
      });

  it("reads most of it if earlier blocks are not on disk yet", async () => {
    const blocks = await chainBlocks("contracts");
    const total = { all: 0, found: 0 };
    for (let at = 20; at < blocks.length; at += 8) {
      const { all, found } = await readsOf(blocks.slice(0, at), blocks[at]!, "flat", 4);
      total.all += all;
      total.found += found;
    }
    // What is missing is mostly read for the reward transaction, which asks for those blocks.
    assert(total.found > 0.7 * total.all, `${total.found} of ${total.all}`);
  });

  it("ends when the turn of the block comes", async () => {
    const blocks = (await chainBlocks("contracts")).slice(0, 60);
    const database = new MemoryDatabase();
    const chain = await open(database, "flat");
    for (const block of blocks.slice(0, -1)) await chain.import(localBlock(block));
    const last = blocks.at(-1)!;
    const keysWithin = (checks: number) => {
      let left = checks;
      const prefetch = prefetchOf(database, "flat");
      const [complete, incomplete, failed, keys] = counted(() => {
        assert.equal(
          prefetch.prefetch(queued(last), () => left-- <= 0),
          checks === Number.POSITIVE_INFINITY,
        );
      });
      assert.deepEqual([complete, incomplete, failed], checks === Number.POSITIVE_INFINITY ? [1, 0, 0] : [0, 1, 0]);
      return keys!;
    };
    const [none, some, all] = [0, 2, Number.POSITIVE_INFINITY].map(keysWithin) as [number, number, number];
    assert(none === 0 && some > 0 && all > some);
  });

  it("leaves blocks with errors to the import", async () => {
    const blocks = (await chainBlocks("transfers")).slice(0, 30);
    const database = new MemoryDatabase();
    const chain = await open(database, "flat");
    for (const block of blocks) await chain.import(localBlock(block));
    const prefetch = prefetchOf(database, "flat");
    const malformed = { bytes: Uint8Array.of(0xc1, 0x80), senders: undefined };
    assert.deepEqual(
      counted(() => prefetch.prefetch(malformed, () => false)),
      [0, 0, 1, 0],
    );
    // Its nonces are used.
    const executed = blocks.findLast(({ transactions }) => transactions.length > 1)!;
    const [complete, , , keys] = counted(() => prefetch.prefetch(queued(executed), () => false));
    assert.equal(complete, 1);
    assert(keys! > executed.transactions.length);
  });

  it("stops at nodes of the trie that were replaced", async () => {
    const blocks = (await chainBlocks("contracts")).slice(0, 40);
    const database = new MemoryDatabase();
    const chain = await open(database, "flat");
    for (const block of blocks.slice(0, -1)) await chain.import(localBlock(block));
    const last = blocks.at(-1)!;
    const replacing: Database = {
      get: (table, key) => (table === TABLES.trieNodes && key.length > 1 ? undefined : database.get(table, key)),
      write: (batch) => database.write(batch),
      entries: (table) => database.entries(table),
      close: async () => undefined,
    };
    assert.deepEqual(
      counted(() => prefetchOf(replacing, "flat").prefetch(queued(last), () => false)),
      counted(() => prefetchOf(database, "flat").prefetch(queued(last), () => false)),
    );
  });
});
