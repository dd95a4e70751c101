import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { gunzipSync } from "node:zlib";
import { NETWORKS } from "@cambium/config";
import { attachLevelDatabase, MemoryDatabase, openLevelDatabase } from "@cambium/database";
import { CambiumError, equalBytes, fromHex, toHex } from "@cambium/primitives";
import { chainEntries } from "@cambium/test-utils/chain-files";
import { vectorPath } from "@cambium/test-utils/vectors";
import { Block, Transaction } from "@cambium/types";
import {
  type BlockInput,
  type ChainEvent,
  type ImportResult,
  LocalChain,
  localBlock,
  openChain,
  openReader,
  ThreadedChain,
} from "../../src/index.js";
import type { LocalChainOptions } from "../../src/threads/local-chain.js";
import type { ThreadedChainOptions } from "../../src/threads/threaded-chain.js";

const network = NETWORKS.local;

const isCode = (code: string) => (error: unknown) => error instanceof CambiumError && error.code === code;

async function encodedBlocks(name: string): Promise<Uint8Array[]> {
  return (await chainEntries(name)).map(({ rlp }) => rlp);
}

/** Blocks of the chain `invalid`, each of which violates one rule. */
function invalidBlocks(): Uint8Array[] {
  const file = vectorPath("chains", "invalid.json.gz");
  const { cases } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as { cases: { block: string }[] };
  return cases.map(({ block }) => fromHex(block));
}

/** The comparable parts of an event. */
function summary(event: ChainEvent): unknown {
  const { kind, block, receipts } = event;
  const senders = block.transactions.map(({ sender }) => sender);
  const reorganisation = event.kind === "reorg" ? event.reorganisation : undefined;
  return { kind, hash: toHex(block.hash), senders, receipts: receipts.length, reorganisation };
}

/** A block of a peer. */
const offered = (bytes: Uint8Array): BlockInput => ({ bytes, source: "sync" });

/** Opens a chain as a node does: the process holds the database open as long as the chain. */
async function openHere({ location, ...options }: LocalChainOptions): Promise<LocalChain> {
  const database = await openLevelDatabase(location, { create: true });
  try {
    const chain = await LocalChain.open({ ...options, location });
    const close = chain.close.bind(chain);
    chain.close = () => close().then(() => database.close());
    return chain;
  } catch (error) {
    await database.close();
    throw error;
  }
}

for (const isThreaded of [true, false])
  describe(`chain that imports in ${isThreaded ? "a thread of its own" : "the calling thread"}`, () => {
    let folder: string;
    let chain: ThreadedChain | LocalChain;
    let blocks: Uint8Array[];
    let failures: CambiumError<{ code: string }>[];
    let listenerErrors: unknown[];

    before(async () => {
      blocks = await encodedBlocks("uncles-and-reorgs");
    });

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), "cambium-thread-"));
      failures = [];
      listenerErrors = [];
      chain = await open();
    });

    afterEach(async () => {
      await chain.close();
      rmSync(folder, { recursive: true, force: true });
    });

    function open(own: Partial<ThreadedChainOptions> = {}): Promise<ThreadedChain | LocalChain> {
      const open = isThreaded ? ThreadedChain.open : openHere;
      return open({
        network,
        location: folder,
        onFailure: (error: CambiumError<{ code: string }>) => failures.push(error),
        onListenerError: (error) => listenerErrors.push(error),
        ...own,
      });
    }

    async function reopen(): Promise<void> {
      await chain.close();
      chain = await open();
    }

    /** Imports all blocks concurrently into a chain in this thread and into the one under test. */
    async function compare(all: readonly Uint8Array[]): Promise<ImportResult[]> {
      const plain = await openChain({ network, database: new MemoryDatabase() });
      const received: { plain: unknown[]; threaded: unknown[] } = { plain: [], threaded: [] };
      plain.on((event) => received.plain.push(summary(event)));
      chain.on((event) => received.threaded.push(summary(event)));
      const expected = await Promise.all(all.map((block) => plain.import(offered(block))));
      const actual = await Promise.all(all.map((block) => chain.import(offered(block))));
      assert.deepEqual(actual, expected);
      assert.deepEqual(received.threaded, received.plain);
      assert.deepEqual(chain.best().hash, plain.best().hash);
      assert.equal(chain.best().totalDifficulty, plain.best().totalDifficulty);
      return actual;
    }

    it("returns the same results and events as a chain in this thread, including reorganisations", async () => {
      const results = await compare(blocks);
      assert(results.some((result) => result.kind === "imported-best" && result.reorganisation !== undefined));
    });

    it("returns the same faults", async () => {
      const base = await encodedBlocks("invalid");
      const results = await compare([...base, ...invalidBlocks(), Uint8Array.of(1, 2, 3)]);
      const codes = new Set(results.map((result) => result.kind === "invalid" && result.fault.code));
      assert(codes.size > 20, [...codes].join());
      assert(codes.has("DECODING"));
    });

    it("shows listeners the chain as of their event, however far ahead the other thread is", async () => {
      let events = 0;
      const check = (event: ChainEvent) => {
        events++;
        if (event.kind === "sideBlock") return assert.equal(chain.isOnBestChain(event.block.hash), false);
        const { header, hash } = chain.best();
        assert.deepEqual(hash, event.block.hash);
        assert.equal(chain.hashByNumber(header.number + 1), undefined);
        for (let number = header.number; number > 0; number--) {
          const block = chain.blockByNumber(number)!;
          assert(equalBytes(block.header.parentHash, chain.hashByNumber(number - 1)!));
        }
        for (const [index, { hash }] of event.block.transactions.entries()) {
          const found = chain.findTransaction(hash);
          if (found !== undefined) assert.deepEqual([found.header.number, found.index], [header.number, index]);
        }
        if (event.kind !== "reorg") return;
        for (const removed of event.reorganisation.removed) assert.equal(chain.isOnBestChain(removed), false);
        for (const added of event.reorganisation.added) assert.equal(chain.isOnBestChain(added), true);
      };
      chain.on(check);
      const imports = blocks.map((block) => chain.import(offered(block)));
      const first = await imports[0];
      assert.equal(first?.kind, "imported-best");
      await Promise.all(imports);
      assert.deepEqual(listenerErrors, []);
      assert(events > 40);
    });

    it("takes decoded blocks, and passes the same objects to listeners", async () => {
      const different = new Map(blocks.map((block) => [toHex(block), block]));
      const decoded = [...different.values()].slice(0, 4).map((block) => Block.decode(block, network));
      const received: Block[] = [];
      chain.on(({ block }) => received.push(block));
      for (const block of decoded) await chain.import(localBlock(block));
      const areSame = received.map((block, index) => block === decoded[index]);
      assert.deepEqual(areSame, [true, true, true, true]);
    });

    if (isThreaded)
      it("reads blocks with the signers that their import recovered, side blocks included", async () => {
        await Promise.all(blocks.map((block) => chain.import(offered(block))));
        const hashes = blocks.map((block) => Block.decode(block, network).hash);
        const stored = hashes.map((hash) => chain.blockByHash(hash)).filter((block) => block !== undefined);
        assert(stored.some(({ hash }) => !chain.isOnBestChain(hash)));
        const transactions = stored.flatMap((block) => block.transactions);
        assert(transactions.length > stored.length);
        for (const { hasSender } of transactions) assert(hasSender);
        for (const { sender, encoded, isReward } of transactions) {
          if (!isReward) assert.deepEqual(sender, Transaction.decode(encoded).sender);
        }
      });

    if (isThreaded)
      it("finds transactions with the signers that their import recovered", async () => {
        await Promise.all(blocks.map((block) => chain.import(offered(block))));
        const all = blocks.flatMap((block) => Block.decode(block, network).transactions);
        const found = all.map(({ hash }) => chain.findTransaction(hash)).filter((one) => one !== undefined);
        assert(found.length > blocks.length);
        for (const { transaction } of found) {
          assert(transaction.hasSender);
          if (!transaction.isReward)
            assert.deepEqual(transaction.sender, Transaction.decode(transaction.encoded).sender);
        }
      });

    if (isThreaded)
      it("does not modify the caller's bytes", async () => {
        const around = new Uint8Array(blocks[0]!.length + 20);
        const view = around.subarray(10, 10 + blocks[0]!.length);
        view.set(blocks[0]!);
        const imported = chain.import(offered(view));
        around.fill(0);
        assert.equal((await imported).kind, "imported-best");
        assert.equal(around.length, blocks[0]!.length + 20);
      });

    it("continues if a listener throws, and does not notify removed listeners", async () => {
      let received = 0;
      chain.on(() => {
        throw new Error("listener");
      });
      const leave = chain.on(() => received++);
      await chain.import(offered(blocks[0]!));
      leave();
      await chain.import(offered(blocks[1]!));
      assert.deepEqual([listenerErrors.length, received], [2, 1]);
    });

    it("rewinds while removed blocks can still be read, and accepts the same blocks again", async () => {
      for (const block of blocks) void chain.import(offered(block));
      await chain.import(offered(blocks[0]!));
      const before = chain.best();
      const target = chain.hashByNumber(5)!;
      const seen: (Block | undefined)[] = [];
      const leave = chain.on((event) => {
        assert(event.kind === "reorg");
        seen.push(...event.reorganisation.removed.map((hash) => chain.blockByHash(hash)));
      });
      const gone = chain.hashByNumber(6)!;
      await chain.rewind(target);
      leave();
      assert.equal(seen.length, before.header.number - 5);
      assert.equal(seen.filter((block) => block === undefined).length, 0);
      assert.deepEqual(chain.best().hash, target);
      assert.equal(chain.hashByNumber(6), undefined);
      assert.equal(chain.headerByHash(gone), undefined);
      await Promise.all(blocks.map((block) => chain.import(offered(block))));
      assert.equal(toHex(chain.best().hash), toHex(before.hash));
      assert.equal(chain.best().totalDifficulty, before.totalDifficulty);
      await assert.rejects(chain.rewind(new Uint8Array(32)), isCode("UNKNOWN_BLOCK"));
    });

    if (!isThreaded)
      it("rewinds in one batch, and shows listeners the state of the block that is best then", async () => {
        await Promise.all(blocks.map((block) => chain.import(offered(block))));
        const target = chain.hashByNumber(5)!;
        const root = chain.stateAfter(target)!.root;
        const { held } = chain as unknown as { held: { write: (batch: unknown) => Promise<void> } };
        const write = held.write.bind(held);
        let batches = 0;
        held.write = (batch) => {
          batches++;
          return write(batch);
        };
        const seen: unknown[] = [];
        chain.on(() => {
          const { hash } = chain.best();
          const state = chain.stateAfter(hash)!;
          const accounts = [...state.accounts()].map(({ address }) => state.getBalance(address));
          seen.push([toHex(hash), toHex(state.root), chain.hashByNumber(6), accounts, batches]);
        });
        await chain.rewind(target);
        const state = chain.stateAfter(target)!;
        const accounts = [...state.accounts()].map(({ address }) => state.getBalance(address));
        assert.deepEqual(seen, [[toHex(target), toHex(root), undefined, accounts, 0]]);
        assert.deepEqual([batches, toHex(state.root)], [1, toHex(root)]);
        await reopen();
        assert.deepEqual(toHex(chain.best().hash), toHex(target));
      });

    it("remembers invalid blocks across restarts", async () => {
      const hash = new Uint8Array(32).fill(7);
      await chain.rememberInvalid(hash);
      assert.equal(chain.isKnownInvalid(hash), true);
      await reopen();
      assert.equal(chain.isKnownInvalid(hash), true);
    });

    it("finishes imports in flight when it is closed", async () => {
      let received = 0;
      chain.on(() => received++);
      const imports = blocks.map((block) => chain.import(offered(block)));
      const closed = chain.close();
      await assert.rejects(chain.import(offered(blocks[0]!)), isCode("CLOSED"));
      const results = await Promise.all(imports);
      await closed;
      const stored = results.filter(({ kind }) => kind.startsWith("imported"));
      assert.equal(received, stored.length);
      chain = await open();
      for (const [index, block] of blocks.entries()) {
        const again = await chain.import(offered(block));
        if (results[index]!.kind !== "missing-parent") assert.equal(again.kind, "already-known");
      }
    });

    if (isThreaded)
      it("fails permanently if its thread dies, but can be read and reopened", async () => {
        await chain.import(offered(blocks[0]!));
        const imports = Promise.allSettled(blocks.slice(1).map((block) => chain.import(offered(block))));
        const { worker } = (chain as unknown as { thread: { client: { worker: Worker } } }).thread.client;
        await worker.terminate();
        const lost = (await imports).filter((one) => one.status === "rejected");
        assert(lost.length > 0 && lost.every(({ reason }) => isCode("WORKER_FAILED")(reason)));
        await assert.rejects(chain.import(offered(blocks[1]!)), isCode("WORKER_FAILED"));
        assert.deepEqual(
          failures.map(({ code }) => code),
          ["WORKER_FAILED"],
        );
        assert.notEqual(chain.blockByNumber(1), undefined);
        await reopen();
        await Promise.all(blocks.map((block) => chain.import(offered(block))));
        assert(chain.best().header.number > 5);
      });

    if (!isThreaded)
      it("reports once that it cannot write, and can still be read", async () => {
        await chain.import(offered(blocks[0]!));
        const held = (chain as unknown as { held: { write: () => Promise<void> } }).held;
        held.write = () => Promise.reject(new Error("disk full"));
        await assert.rejects(chain.import(offered(blocks[1]!)), isCode("DATABASE_WRITE"));
        await assert.rejects(chain.import(offered(blocks[2]!)), isCode("DATABASE_WRITE"));
        assert.deepEqual(
          failures.map(({ code }) => code),
          ["DATABASE_WRITE"],
        );
        assert.equal(chain.best().header.number, 1);
        assert.notEqual(chain.blockByNumber(1), undefined);
      });

    if (!isThreaded)
      it("reports what it has accepted and cannot write later, once", async () => {
        await chain.close();
        const onFailure = (error: CambiumError<{ code: string }>) => failures.push(error);
        chain = await openHere({ network, location: folder, writesLate: true, onFailure });
        await chain.import(offered(blocks[0]!));
        await (chain as LocalChain).written();
        const { delayed } = chain as unknown as { delayed: { database: { write: () => Promise<void> } } };
        delayed.database.write = () => Promise.reject(new Error("disk full"));
        await chain.import(offered(blocks[1]!));
        assert.equal(chain.best().header.number, 2);
        await assert.rejects((chain as LocalChain).written(), isCode("DATABASE_WRITE"));
        await assert.rejects(chain.import(offered(blocks[2]!)), isCode("DATABASE_WRITE"));
        assert.deepEqual(
          failures.map(({ code }) => code),
          ["DATABASE_WRITE"],
        );
        assert.notEqual(chain.blockByNumber(2), undefined);
      });

    if (!isThreaded)
      it("writes each block before listeners are notified", async () => {
        const database = await attachLevelDatabase(folder);
        const found: boolean[] = [];
        chain.on(({ hash }) => found.push(openReader({ network, database }).blockByHash(hash) !== undefined));
        for (const block of blocks.slice(0, 3)) await chain.import(offered(block));
        await database.close();
        assert.deepEqual([found, listenerErrors], [[true, true, true], []]);
      });

    it("reports why a database cannot be opened", async () => {
      await assert.rejects(open({ network: NETWORKS.main }), isCode("DATABASE_NETWORK"));
      const file = join(folder, "file");
      writeFileSync(file, "");
      await assert.rejects(open({ location: file }), isCode("DATABASE_OPEN"));
    });

    it("allows other readers in the process", async () => {
      await chain.import(offered(blocks[0]!));
      if (chain instanceof LocalChain) await chain.written();
      const database = await attachLevelDatabase(folder);
      const reader = await openChain({ network, database });
      assert.equal(toHex(reader.best().hash), toHex(chain.best().hash));
      await reader.close();
    });
  });
