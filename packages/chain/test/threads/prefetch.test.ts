import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase, openLevelDatabase } from "@cambium/database";
import { measurementFamilies, toHex } from "@cambium/primitives";
import { until } from "@cambium/test-utils/rpc-client";
import { type Block, encodeReceipt, packKnownSenders } from "@cambium/types";
import { type Chain, localBlock, openChain, openThreadedChain } from "../../src/index.js";
import type { StateLayout } from "../../src/state/stored-states.js";
import { Prefetch, type PrefetchWorker } from "../../src/threads/prefetch-client.js";
import type { PrefetchResult, QueuedBlock } from "../../src/threads/prefetch-execution.js";
import { chainBlocks } from "../vectors.js";

const network = NETWORKS.local;
const LAYOUTS: StateLayout[] = ["flat", "archive"];

function prefetched(...results: string[]): number {
  const family = measurementFamilies().find(({ name }) => name === "cambium_block_prefetches_total");
  const series = family?.series.filter(({ labels }) => results.includes(labels.result!)) ?? [];
  return series.reduce((sum, one) => sum + one.values()[0]!, 0);
}

function contents(chain: Pick<Chain, "receipts" | "stateAfter">, blocks: readonly Block[]): unknown[] {
  return blocks.map(({ hash }) => [
    chain.receipts(hash)?.map((receipt) => toHex(encodeReceipt(receipt))),
    toHex(chain.stateAfter(hash)!.root),
  ]);
}

/** A thread that answers when the test says so. */
class FakeThread implements PrefetchWorker {
  readonly opened: Promise<void>;
  readonly blocks: { block: QueuedBlock; answer: (result: PrefetchResult) => void; fail: () => void }[] = [];
  open!: () => void;
  refuse!: () => void;

  constructor(readonly end: () => void) {
    this.opened = new Promise((resolve, reject) => {
      this.open = resolve;
      this.refuse = () => reject(new Error("no memory"));
    });
    this.opened.catch(() => undefined);
  }

  call(_name: string, block: QueuedBlock): Promise<never> {
    return new Promise<PrefetchResult>((resolve, reject) => {
      this.blocks.push({ block, answer: resolve, fail: () => reject(new Error("ended")) });
    }) as Promise<never>;
  }

  isClosed = false;

  async close(): Promise<void> {
    this.isClosed = true;
  }

  get positions(): number[] {
    return this.blocks.map(({ block }) => block.position);
  }
}

const turn = () => new Promise(setImmediate);

describe("choice of blocks that are read ahead", () => {
  let threads: FakeThread[];
  let prefetch: Prefetch;
  let time: number;

  function create(minDiskTime: number, maxThreads = 1): void {
    threads = [];
    time = 0;
    const start = (_data: unknown, onFailure: () => void) => {
      const thread = new FakeThread(onFailure);
      threads.push(thread);
      return thread;
    };
    prefetch = new Prefetch({ network, location: "none", minDiskTime, maxThreads, start, now: () => time });
  }

  function offer(count: number, size = 100, isQueued = true): void {
    for (let i = 0; i < count; i++) prefetch.offer({ bytes: new Uint8Array(size), senders: undefined }, isQueued);
  }

  /** Reads of the import, of which one in `every` waits for the disk; milliseconds until the next one is noted. */
  function read(count: number, every: number, [slow, fast] = [20, 5]): void {
    for (let i = 0; i < count; i++) {
      const isSlow = i % every === 0;
      time += isSlow ? slow! : fast!;
      prefetch.noteRead(isSlow ? 100 : 10);
    }
  }

  /** Offers blocks while reads are slow; the first one has been read ahead. */
  async function begin(count: number): Promise<void> {
    create(50);
    read(1_000, 4);
    offer(count);
    threads[0]!.open();
    threads[0]!.blocks[0]!.answer({ diskShare: 0.5, isComplete: true });
    await turn();
  }

  it("takes none while reads of the import are fast", () => {
    create(50);
    read(2_000, 20);
    offer(10);
    assert.equal(threads.length, 0);
  });

  it("takes none that are not queued", () => {
    create(0);
    offer(3, 100, false);
    assert.equal(threads.length, 0);
  });

  it("takes them when many reads are slow, until reads are fast here and in the thread", async () => {
    create(50);
    read(1_000, 4);
    offer(4);
    threads[0]!.open();
    await turn();
    // Fast here, since they are read ahead.
    read(2_000, 1_000);
    threads[0]!.blocks[0]!.answer({ diskShare: 0.3, isComplete: true });
    await turn();
    assert.deepEqual(threads[0]!.positions, [1, 2, 3]);
    threads[0]!.blocks[1]!.answer({ diskShare: 0.01, isComplete: true });
    await turn();
    offer(2);
    assert.deepEqual(threads[0]!.positions, [1, 2, 3]);
    read(1_000, 4);
    threads[0]!.blocks[2]!.answer({ diskShare: 0.01, isComplete: true });
    await turn();
    offer(2);
    assert.deepEqual(threads[0]!.positions, [1, 2, 3, 7, 8]);
  });

  it("posts two blocks to a thread, one of them if they are large, and none that the import has reached", async () => {
    create(0);
    offer(10);
    assert.deepEqual(threads[0]!.positions, [1, 2]);
    for (let i = 0; i < 5; i++) prefetch.advance();
    threads[0]!.blocks[0]!.answer({ diskShare: 1, isComplete: false });
    await turn();
    assert.deepEqual(threads[0]!.positions, [1, 2, 6]);
    create(0);
    offer(3, 3 * 1024 * 1024);
    assert.deepEqual(threads[0]!.positions, [1]);
    threads[0]!.blocks[0]!.fail();
    await turn();
    assert.deepEqual(threads[0]!.positions, [1, 2]);
  });

  it("starts another thread if blocks are not read in time while the import waits for the disk", async () => {
    create(50, 2);
    read(1_000, 2);
    offer(20);
    threads[0]!.open();
    await turn();
    threads[0]!.blocks[0]!.answer({ diskShare: 1, isComplete: false });
    await turn();
    assert.equal(threads.length, 1);
    read(1_000, 3);
    threads[0]!.blocks[1]!.answer({ diskShare: 1, isComplete: true });
    await turn();
    assert.equal(threads.length, 1);
    for (const next of [2, 3, 4]) {
      threads[0]!.blocks[next]!.answer({ diskShare: 1, isComplete: false });
      await turn();
    }
    assert.equal(threads.length, 2);
    assert(threads[1]!.positions.length > 0);
    threads[1]!.open();
    await turn();
    read(1_000, 2);
    threads[1]!.blocks[0]!.answer({ diskShare: 1, isComplete: false });
    await turn();
    assert.equal(threads.length, 2);
  });

  it("replaces threads that fail, a few times", async () => {
    create(0);
    for (let i = 0; i < 10; i++) {
      offer(1);
      const thread = threads.at(-1)!;
      if (i % 2 === 0) thread.refuse();
      else thread.end();
      for (const { fail } of thread.blocks) fail();
      await turn();
    }
    assert.equal(threads.length, 4);
  });

  it("ends the threads, and takes no blocks for ten minutes, if the import is not faster with them", async () => {
    await begin(4);
    read(1_000, 4);
    offer(4);
    assert.deepEqual(threads[0]!.positions, [1, 2, 3]);
    assert(threads[0]!.isClosed);
    time += 590_000;
    read(100, 4);
    offer(4);
    assert.equal(threads.length, 1);
    time += 10_000;
    read(1_000, 4);
    offer(4);
    assert.equal(threads.length, 2);
  });

  it("compares again after a minute", async () => {
    await begin(1);
    read(1_000, 100);
    assert(!threads[0]!.isClosed);
    time += 60_000;
    // Without it, reads are as fast now.
    read(1_000, 100);
    offer(1);
    threads[0]!.blocks[1]!.answer({ diskShare: 0.5, isComplete: true });
    await turn();
    read(1_000, 100);
    assert(threads[0]!.isClosed);
  });

  it("starts no thread after it is closed", async () => {
    create(0);
    await prefetch.close();
    offer(3);
    assert.equal(threads.length, 0);
  });
});

describe("reading ahead in threads", () => {
  let folder: string;
  let blocks: Block[];
  let stored: unknown[];

  before(async () => {
    blocks = await chainBlocks("contracts");
    const chain = await openChain({ network, database: new MemoryDatabase() });
    for (const block of blocks) await chain.import(localBlock(block));
    stored = contents(chain, blocks);
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-prefetch-"));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  for (const stateLayout of LAYOUTS)
    it(`changes nothing of what the import stores, and ends with it: ${stateLayout} layout`, async () => {
      const before = prefetched("complete", "incomplete");
      const failed = prefetched("failed");
      const chain = await openThreadedChain({ network, location: folder, stateLayout, minDiskTime: 0 });
      const results = await Promise.all(blocks.map((block) => chain.import(localBlock(block))));
      assert(results.every(({ kind }) => kind === "imported-best"));
      assert.deepEqual(contents(chain, blocks), stored);
      await chain.close();
      assert(prefetched("complete", "incomplete") > before);
      assert.equal(prefetched("failed"), failed);
    });

  it("is not done if it is not asked for", async () => {
    const before = prefetched("complete", "incomplete", "failed");
    const chain = await openThreadedChain({ network, location: folder, minDiskTime: Number.POSITIVE_INFINITY });
    await Promise.all(blocks.map((block) => chain.import(localBlock(block))));
    await chain.close();
    assert.equal(prefetched("complete", "incomplete", "failed"), before);
  });

  it("continues in a new thread if one ends", async () => {
    const database = await openLevelDatabase(folder, { create: true });
    const chain = await openChain({ network, database });
    const half = blocks.length / 2;
    for (const block of blocks.slice(0, half)) await chain.import(localBlock(block));
    const prefetch = new Prefetch({ network, location: folder, minDiskTime: 0, maxThreads: 1 });
    const offer = (block: Block) =>
      prefetch.offer({ bytes: block.encode(), senders: packKnownSenders(block.transactions) }, true);
    for (let round = 0; round < 2; round++) {
      const before = prefetched("complete");
      offer(blocks[half + round]!);
      await until(async () => prefetched("complete") === before + 1);
      const [running] = (prefetch as unknown as { running: Set<{ worker: { worker: Worker } }> }).running;
      await running!.worker.worker.terminate();
    }
    await prefetch.close();
    await chain.close();
  });
});
