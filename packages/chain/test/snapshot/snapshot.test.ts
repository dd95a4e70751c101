import assert from "node:assert/strict";
import { checkDatabase } from "@cambium/chain-maintenance";
import { ChainError, readTrust, type StateLayout, TABLES, trustText } from "@cambium/chain-store";
import { NETWORKS } from "@cambium/config";
import { type Database, MemoryDatabase, type Write } from "@cambium/database";
import { equalBytes, toHex } from "@cambium/primitives";
import { chainBlocks } from "@cambium/test-utils/chain-files";
import { verifyStateChunk } from "@cambium/trie";
import { Block } from "@cambium/types";
import {
  type Chain,
  localBlock,
  openChain,
  SnapshotHistory,
  SnapshotInstaller,
  SnapshotServer,
} from "../../src/index.js";

const network = NETWORKS.local;
/** A checkpoint at block 54 of 74, with chunks of a few nodes. */
const serving = { interval: 37, depth: 20, blocks: 10, chunkBytes: 700 };
/** Number of blocks below the checkpoint; the reward contract of local looks back some twenty. */
const HISTORY = 35;

function snapshotTests(stateLayout: StateLayout): void {
  let blocks: Block[];
  let origin: MemoryDatabase;
  let chain: Chain;
  let server: SnapshotServer;

  before(async () => {
    blocks = await chainBlocks("parallel");
    origin = new MemoryDatabase();
    chain = await openChain({ network, database: origin, stateLayout });
    for (const block of blocks) await chain.import(localBlock(block));
    server = new SnapshotServer(chain, serving);
  });

  function served(): { checkpoint: Block; totalDifficulty: bigint } {
    const { encoded, totalDifficulty } = server.status()!.blocks.at(-1)!;
    return { checkpoint: Block.decode(encoded, network), totalDifficulty };
  }

  async function fetchState(installer: SnapshotInstaller): Promise<void> {
    const { number } = installer.progress!.checkpoint;
    for (let from = installer.progress!.nextChunk; from !== undefined; from = installer.progress!.nextChunk) {
      const chunk = server.chunk(number, from)!;
      assert.equal(await installer.saveChunk(verifyStateChunk(chunk, installer.stateRoot), chunk.to), "stored");
    }
  }

  async function fetchBlocks(installer: SnapshotInstaller, down: number): Promise<void> {
    while (installer.progress!.earliest.number > down) {
      await installer.addBlocks([chain.blockByNumber(installer.nextBlock().number)!]);
    }
  }

  /** `headers`: number of the lowest verified header. */
  async function install(database: Database, down?: number, headers?: number): Promise<void> {
    const installer = await SnapshotInstaller.open({ network, database, stateLayout });
    if (!installer.isPossible) return;
    const { checkpoint, totalDifficulty } = served();
    if (installer.progress === undefined) await installer.begin(checkpoint, totalDifficulty);
    if (headers !== undefined) await installer.noteHeaders(headers, chain.hashByNumber(headers)!);
    await fetchState(installer);
    await fetchBlocks(installer, down ?? checkpoint.number - HISTORY);
    await installer.finish();
  }

  async function clean(database: Database): Promise<void> {
    assert.deepEqual((await checkDatabase(database, network, { deep: true })).problems, []);
  }

  it("is served below the best block, with the blocks before it", () => {
    const status = server.status()!;
    const { checkpoint, totalDifficulty } = served();
    assert.equal(checkpoint.number, 54);
    assert.equal(status.blocks.length, 11);
    assert.equal(totalDifficulty, chain.totalDifficulty(checkpoint.hash));
    assert(status.trieSize > 5 * serving.chunkBytes);
    assert.equal(server.status(), status);
    assert.equal(new SnapshotServer(chain).status(), undefined);
    assert.equal(server.chunk(54, status.trieSize + 1), undefined);
    assert.equal(server.chunk(1_000, 0), undefined);
    assert.equal(server.chunk(54, -1), undefined);
  });

  it("lets a chain reach the same best block and state, and complete its history to genesis", async () => {
    const database = new MemoryDatabase();
    await install(database);
    await clean(database);
    const copy = await openChain({ network, database });
    assert.equal(copy.best().header.number, 54);
    assert.equal(copy.earliestBlock(), 54 - HISTORY);
    assert.equal(copy.snapshotBlock(), 54);
    const gaps = (await checkDatabase(database, network)).snapshot;
    assert.deepEqual(gaps, { kind: "installed", block: 54, earliest: 54 - HISTORY });
    assert.equal(copy.headerByNumber(5), undefined);
    assert.equal(copy.stateAfter(blocks[40]!.hash), undefined);
    assert.equal(copy.receipts(blocks[40]!.hash), undefined);
    assert(copy.blockByHash(blocks[40]!.hash) !== undefined);

    for (const block of blocks.slice(54)) assert.equal((await copy.import(localBlock(block))).kind, "imported-best");
    sameTip(copy);
    await clean(database);

    const history = new SnapshotHistory(database, network);
    for (let next = history.next(); next !== undefined; next = history.next()) {
      assert.equal(copy.earliestBlock(), next.number + 1);
      await history.add([chain.blockByNumber(next.number)!]);
      assert.deepEqual((await checkDatabase(database, network)).problems, []);
    }
    assert.equal(copy.earliestBlock(), 0);
    for (const block of blocks) {
      assert.equal(copy.totalDifficulty(block.hash), chain.totalDifficulty(block.hash));
      for (const { hash } of block.transactions) assert.equal(copy.findTransaction(hash)?.header.number, block.number);
    }
    await clean(database);
    sameTip(await openChain({ network, database }));
  });

  function sameTip(copy: Chain): void {
    assert.equal(toHex(copy.best().hash), toHex(chain.best().hash));
    assert.equal(copy.best().totalDifficulty, chain.best().totalDifficulty);
    const [mine, theirs] = [copy, chain].map((one) => one.stateAfter(one.best().hash)!);
    assert.equal(toHex(mine!.root), toHex(theirs!.root));
    for (const { transactions } of blocks) {
      for (const { to } of transactions) {
        if (to === null || to.length !== 20) continue;
        assert.equal(mine!.getBalance(to), theirs!.getBalance(to));
        assert.deepEqual(mine!.getCode(to), theirs!.getCode(to));
      }
    }
  }

  it("may include the whole chain", async () => {
    const database = new MemoryDatabase();
    await install(database, 1);
    const copy = await openChain({ network, database });
    assert.equal(copy.earliestBlock(), 0);
    await clean(database);
  });

  it("rests on the work since the lowest verified header, or on signers", async () => {
    for (const [headers, expected] of [
      [0, "work since genesis"],
      [3, "work since 3"],
      [undefined, `signers and work since ${54 - HISTORY}`],
    ] as const) {
      const database = new MemoryDatabase();
      assert.equal(trustText(readTrust(database)), "work since genesis");
      await install(database, undefined, headers);
      assert.equal(trustText(readTrust(database)), expected);
    }
  });

  it("resumes where it was interrupted, after any batch", async () => {
    const whole = new CountingDatabase(new MemoryDatabase(), Number.POSITIVE_INFINITY);
    await install(whole);
    for (let batches = 1; batches < whole.written; batches += 7) {
      const disk = new MemoryDatabase();
      await assert.rejects(install(new CountingDatabase(disk, batches)), /disk full/);
      await clean(disk);
      const started = new MemoryDatabase(disk);
      const before = await openChain({ network, database: started });
      assert.equal(before.best().header.number, 0);
      // Downloaded data does no harm: the chain can be imported from genesis instead.
      assert.equal((await before.import(localBlock(blocks[0]!))).kind, "imported-best");
      await clean(started);
      const rest = new CountingDatabase(disk, Number.POSITIVE_INFINITY);
      await install(rest);
      assert.equal(rest.written, whole.written - batches);
      await clean(disk);
      assert.equal((await openChain({ network, database: disk })).best().header.number, 54);
    }
  });

  it("accepts only the requested block", async () => {
    const database = new MemoryDatabase();
    const installer = await SnapshotInstaller.open({ network, database, stateLayout });
    const { checkpoint, totalDifficulty } = served();
    await installer.begin(checkpoint, totalDifficulty);
    const parent = chain.blockByNumber(53)!;
    const code = (expected: string) => (error: unknown) => error instanceof ChainError && error.code === expected;
    await assert.rejects(installer.addBlocks([chain.blockByNumber(52)!]), code("SNAPSHOT_BLOCK"));
    await assert.rejects(installer.addBlocks([new Block(parent.header, [], parent.uncles)]));
    await assert.rejects(
      installer.addBlocks([new Block(parent.header, parent.transactions, [blocks[0]!.header])]),
      code("SNAPSHOT_BLOCK"),
    );
    await assert.rejects(installer.finish(), code("NO_SNAPSHOT"));
    await assert.rejects(installer.begin(checkpoint, 1n), code("SNAPSHOT_BLOCK"));
    assert.equal(installer.progress!.earliest.number, 54);
    assert(equalBytes(installer.nextBlock().hash, parent.hash));
  });

  it("reports a history that does not lead to the network's genesis", async () => {
    const database = new MemoryDatabase();
    const installer = await SnapshotInstaller.open({ network, database, stateLayout });
    const { checkpoint, totalDifficulty } = served();
    await installer.begin(checkpoint, totalDifficulty + 1n);
    await fetchState(installer);
    await fetchBlocks(installer, 2);
    await installer.finish();
    await assert.rejects(
      new SnapshotHistory(database, network).add([blocks[0]!]),
      (error) => error instanceof ChainError && error.code === "HISTORY_MISMATCH",
    );
  });

  it("is not served if the state is not stored any more", async () => {
    const flatState = { history: 0, minHistory: 8, maxBlocks: 4 };
    const short = await openChain({ network, database: new MemoryDatabase(), stateLayout, flatState });
    for (const block of blocks) await short.import(localBlock(block));
    const { number } = served().checkpoint;
    const itsServer = new SnapshotServer(short, serving);
    assert.equal(itsServer.status() === undefined, stateLayout === "flat");
    assert.equal(itsServer.chunk(number, 0) === undefined, stateLayout === "flat");
  });

  it("is not mixed with an earlier installation", async () => {
    const database = new MemoryDatabase();
    const installer = await SnapshotInstaller.open({ network, database, stateLayout });
    const { checkpoint, totalDifficulty } = served();
    await installer.begin(checkpoint, totalDifficulty);
    const chunk = server.chunk(checkpoint.number, 0)!;
    await installer.saveChunk(verifyStateChunk(chunk, installer.stateRoot), chunk.to);
    if (stateLayout === "flat") {
      const other = { key: new Uint8Array(31).fill(7), value: new Uint8Array(20) };
      await database.write([TABLES.flatState, TABLES.trieNodes].map((table) => ({ table, ...other })));
    }
    await installer.abandon();
    const chain = await openChain({ network, database: new MemoryDatabase(database) });
    assert.equal((await chain.import(localBlock(blocks[0]!))).kind, "imported-best");
    await install(database);
    await clean(database);
  });

  it("is not installed over an existing chain", async () => {
    const database = new MemoryDatabase(origin);
    const installer = await SnapshotInstaller.open({ network, database, stateLayout });
    assert.equal(installer.isPossible, false);
    const { checkpoint, totalDifficulty } = served();
    await assert.rejects(installer.begin(checkpoint, totalDifficulty), ChainError);
  });
}

for (const layout of ["archive", "flat"] as const) describe(`snapshot, ${layout} layout`, () => snapshotTests(layout));

/** Counts batches, and fails after a number of them. */
class CountingDatabase implements Database {
  written = 0;

  constructor(
    private readonly inner: MemoryDatabase,
    private readonly limit: number,
  ) {}

  get: Database["get"] = (table, key) => this.inner.get(table, key);
  entries: Database["entries"] = (table) => this.inner.entries(table);
  close = () => this.inner.close();

  async write(batch: readonly Write[]): Promise<void> {
    if (this.written >= this.limit) throw new Error("disk full");
    this.written++;
    await this.inner.write(batch);
  }
}
