import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { gunzipSync } from "node:zlib";
import { NETWORKS } from "@cambium/config";
import { type Database, MemoryDatabase, openLevelDatabase } from "@cambium/database";
import { fromHex, measurementFamilies, toHex } from "@cambium/primitives";
import { vectorPath } from "@cambium/test-utils/vectors";
import { type Block, encodeReceipt } from "@cambium/types";
import type { ListResults } from "../../src/execution/block-executor.js";
import type { ListExecutor } from "../../src/import/list-executor.js";
import {
  type Chain,
  createChainEvm,
  type ImportResult,
  localBlock,
  openChain,
  openThreadedChain,
} from "../../src/index.js";
import type { StateLayout } from "../../src/state/stored-states.js";
import { ListExecution } from "../../src/threads/list-execution.js";
import { ListThread } from "../../src/threads/list-thread-client.js";
import { chainBlocks } from "../vectors.js";

const network = NETWORKS.local;
const CHAINS: [string, StateLayout][] = [
  ["contracts", "flat"],
  ["parallel", "flat"],
  ["parallel", "archive"],
  ["rewards", "flat"],
  ["transfers", "flat"],
  ["uncles-and-reorgs", "flat"],
];

/** What is stored of a chain's blocks. */
function contents(
  chain: Pick<Chain, "receipts" | "stateAfter" | "isOnBestChain">,
  blocks: readonly Block[],
): unknown[] {
  return blocks.map(({ hash }) => [
    chain.receipts(hash)?.map((receipt) => toHex(encodeReceipt(receipt))),
    toHex(chain.stateAfter(hash)!.root),
    chain.isOnBestChain(hash),
  ]);
}

function importAll(chain: Pick<Chain, "import">, blocks: readonly Block[]): Promise<ImportResult[]> {
  return Promise.all(blocks.map((block) => chain.import(localBlock(block))));
}

/** Each block is written before the next one is imported. */
async function importInTurn(chain: Pick<Chain, "import">, blocks: readonly Block[]): Promise<ImportResult[]> {
  const results: ImportResult[] = [];
  for (const block of blocks) results.push(await chain.import(localBlock(block)));
  return results;
}

async function expected(blocks: readonly Block[]): Promise<{ results: ImportResult[]; stored: unknown[] }> {
  const chain = await openChain({ network, database: new MemoryDatabase() });
  const results = await importAll(chain, blocks);
  return { results, stored: contents(chain, blocks) };
}

/** Blocks of this process that were given to a thread. */
function sharedBlocks(result: "taken" | "repeated"): number {
  const family = measurementFamilies().find(({ name }) => name === "cambium_block_shared_executions_total");
  return family?.series.find(({ labels }) => labels.result === result)?.values()[0] ?? 0;
}

const hasTwoLists = ({ header }: Block) => header.executionEdges?.length === 2;

describe("parallel lists in two threads", () => {
  let folder: string;
  let thread: ListThread;
  let taken: number;
  let repeated: number;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-lists-"));
    thread = new ListThread({ network, location: folder, minTime: 0 });
    taken = sharedBlocks("taken");
    repeated = sharedBlocks("repeated");
  });

  afterEach(async () => {
    await thread.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Opens a chain whose thread is ready, and closes it afterwards. */
  async function withChain(
    use: (chain: Chain) => Promise<void>,
    { stateLayout = "flat" as StateLayout, execute = (block: Block) => thread.execute(block) } = {},
  ): Promise<void> {
    const database: Database = await openLevelDatabase(folder, { create: true });
    const listExecutor: ListExecutor = { minTime: 0, takes: (block) => thread.takes(block), execute };
    const chain = await openChain({ network, database, stateLayout, listExecutor });
    const [block] = (await chainBlocks("parallel")).filter(hasTwoLists);
    thread.takes(block!);
    await thread.opened();
    await new Promise(setImmediate);
    assert(thread.takes(block!));
    try {
      await use(chain);
    } finally {
      await chain.close();
    }
  }

  for (const [name, stateLayout] of CHAINS)
    it(`have the results of the lists one after the other: ${name}, ${stateLayout} layout`, async () => {
      const blocks = await chainBlocks(name);
      const { results, stored } = await expected(blocks);
      const use = async (chain: Chain) => {
        assert.deepEqual(await importInTurn(chain, blocks), results);
        assert.deepEqual(contents(chain, blocks), stored);
      };
      await withChain(use, { stateLayout });
      const executed = blocks.filter((block, i) => results[i]!.kind.startsWith("imported") && hasTwoLists(block));
      assert.equal(sharedBlocks("taken") - taken, executed.length);
      assert.equal(sharedBlocks("repeated"), repeated);
    });

  it("are executed one after the other here if the thread gives no results, or wrong ones", async () => {
    const blocks = (await chainBlocks("parallel")).slice(0, 40);
    const { results, stored } = await expected(blocks);
    const wrong: ((right: ListResults) => ListResults | undefined)[] = [
      () => undefined,
      () => assert.fail("no results"),
      (right) => ({ ...right, gasUsed: right.gasUsed + 1 }),
      (right) => ({ ...right, layer: [] }),
      (right) => ({ ...right, receipts: Uint8Array.of(1, 2, 3) }),
      (right) => ({ ...right, keys: { ...right.keys, writes: new Set(right.keys.reads) } }),
      (right) => right,
    ];
    let next = 0;
    const execute = async (block: Block) => wrong[next++ % wrong.length]!((await thread.execute(block))!);
    const isComplete = () =>
      next > wrong.length && sharedBlocks("repeated") > repeated && sharedBlocks("taken") > taken;
    const use = async (chain: Chain) => {
      // A list is given away only if the disk is in time.
      for (let round = 0; round < 100 && !isComplete(); round++) {
        await chain.rewind(chain.genesis.hash);
        assert.deepEqual(await importAll(chain, blocks), results);
        assert.deepEqual(contents(chain, blocks), stored);
      }
    };
    await withChain(use, { execute });
    assert(isComplete());
  });

  it("are executed here if the thread ends during one, and by a new thread afterwards", async () => {
    const blocks = await chainBlocks("parallel");
    const { results, stored } = await expected(blocks);
    let calls = 0;
    const execute = (block: Block) => {
      const executing = thread.execute(block);
      if (++calls === 3) void workerOf(thread).terminate();
      return executing;
    };
    const use = async (chain: Chain) => {
      const half = blocks.length / 2;
      assert.deepEqual(await importAll(chain, blocks.slice(0, half)), results.slice(0, half));
      const before = calls;
      thread.takes(blocks.find(hasTwoLists)!);
      await thread.opened();
      await new Promise(setImmediate);
      assert.deepEqual(await importAll(chain, blocks.slice(half)), results.slice(half));
      assert.deepEqual(contents(chain, blocks), stored);
      assert(calls > before);
    };
    await withChain(use, { execute });
    assert(sharedBlocks("taken") - taken > 3);
  });

  it("have the same faults as lists one after the other", async () => {
    const base = await chainBlocks("invalid");
    const file = vectorPath("chains", "invalid.json.gz");
    const { cases } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as { cases: { block: string }[] };
    const inputs = cases.map(({ block }) => ({ bytes: fromHex(block), source: "sync" as const }));
    const faultsOf = async (chain: Chain) => {
      await importInTurn(chain, base);
      const results: ImportResult[] = [];
      for (const input of inputs) results.push(await chain.import(input));
      return results;
    };
    const results = await faultsOf(await openChain({ network, database: new MemoryDatabase() }));
    const use = async (chain: Chain) => assert.deepEqual(await faultsOf(chain), results);
    await withChain(use);
    assert(sharedBlocks("taken") > taken && sharedBlocks("repeated") - repeated > 5);
  });

  it("give up a thread that cannot start, after a few attempts", async () => {
    const blocks = await chainBlocks("transfers");
    let starts = 0;
    const start = () => {
      starts++;
      const failed = Promise.reject(new Error("no memory"));
      failed.catch(() => undefined);
      return { opened: failed, call: () => assert.fail("called"), close: async () => {} };
    };
    const failing = new ListThread({ network, location: folder, minTime: 0, start });
    const chain = await openChain({ network, database: new MemoryDatabase(), listExecutor: failing });
    const { results } = await expected(blocks);
    assert.deepEqual(await importAll(chain, blocks), results);
    assert.equal(starts, 4);
    await chain.close();
  });

  it("are completed if the chain is closed meanwhile", async () => {
    const blocks = await chainBlocks("parallel");
    const { results } = await expected(blocks);
    const at = blocks.findIndex(hasTwoLists);
    let closing: Promise<void> | undefined;
    await withChain(
      async (chain) => {
        await importAll(chain, blocks.slice(0, at));
        const last = chain.import(localBlock(blocks[at]!));
        await chain.close();
        assert.deepEqual(await last, results[at]);
      },
      {
        execute: (block) => {
          const executing = thread.execute(block);
          closing = thread.close();
          return executing;
        },
      },
    );
    await closing;
    assert.equal(sharedBlocks("taken"), taken + 1);
  });

  it("are what the import thread of a node executes, if it is told to", async () => {
    const blocks = await chainBlocks("parallel");
    const { results, stored } = await expected(blocks);
    const chain = await openThreadedChain({ network, location: folder, minListTime: 0 });
    // The thread starts with the first of them, and may be late for the others.
    for (let round = 0; round < 100 && sharedBlocks("taken") === taken; round++) {
      await chain.rewind(chain.genesis.hash);
      assert.deepEqual(await importAll(chain, blocks), results);
      assert.deepEqual(contents(chain, blocks), stored);
    }
    assert(sharedBlocks("taken") > taken);
    assert.equal(sharedBlocks("repeated"), repeated);
    await chain.close();
  });

  it("are executed here if the state is not on disk, or the first list takes less time than it should", async () => {
    const blocks = (await chainBlocks("parallel")).slice(0, 30);
    const { results, stored } = await expected(blocks);
    const database = new MemoryDatabase();
    const behind = await openChain({ network, database });
    const apart = new ListExecution(behind, createChainEvm(network), 1);
    for (const minTime of [0, Number.POSITIVE_INFINITY]) {
      let calls = 0;
      const execute = (block: Block) => {
        calls++;
        return apart.execute({ bytes: block.encode(), senders: new Uint8Array(0) });
      };
      const listExecutor: ListExecutor = { minTime, takes: hasTwoLists, execute };
      const chain = await openChain({ network, database: new MemoryDatabase(), listExecutor });
      assert.deepEqual(await importAll(chain, blocks), results);
      assert.deepEqual(contents(chain, blocks), stored);
      assert.equal(calls > 0, minTime === 0);
      await chain.close();
    }
    assert.deepEqual([sharedBlocks("taken"), sharedBlocks("repeated")], [taken, repeated]);
  });

  it("are given to a thread only if the second one has enough gas", async () => {
    const blocks = (await chainBlocks("contracts")).filter(hasTwoLists);
    const gas = ({ header, transactions }: Block) => {
      const [first, second] = header.executionEdges as [number, number];
      return transactions.slice(first, second).reduce((sum, { gasLimit }) => sum + Number(gasLimit), 0);
    };
    const [light, heavy] = blocks
      .toSorted((a, b) => gas(a) - gas(b))
      .filter((_, i, { length }) => i % (length - 1) === 0);
    assert(gas(light!) < 200_000 && gas(heavy!) > 200_000);
    const hasStarted = (minTime: number, block: Block) => {
      let starts = 0;
      const start = () => {
        starts++;
        return { opened: new Promise<void>(() => undefined), call: () => assert.fail("called"), close: async () => {} };
      };
      assert(!new ListThread({ network, location: folder, minTime, start }).takes(block));
      return starts > 0;
    };
    assert.deepEqual(
      [0, 3, Number.POSITIVE_INFINITY].map((minTime) => [hasStarted(minTime, light!), hasStarted(minTime, heavy!)]),
      [
        [true, true],
        [false, true],
        [false, false],
      ],
    );
  });
});

function workerOf(thread: ListThread): Worker {
  return (thread as unknown as { worker: { worker: Worker } }).worker.worker;
}
