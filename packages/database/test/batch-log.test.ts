import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { numberToBytes } from "@cambium/primitives";
import {
  attachLevelDatabase,
  BatchFollower,
  BatchLogReader,
  batchLogMemory,
  copyRunningDatabase,
  type Database,
  type LinkedBatch,
  openLevelDatabase,
  type Write,
} from "../src/index.js";

const TABLE = 1;

function put(key: number, length = 10): Write {
  return { table: TABLE, key: numberToBytes(key), value: new Uint8Array(length).fill(key) };
}

describe("log of batches", () => {
  let folder: string;
  const open: { close(): Promise<void> }[] = [];

  function kept<T extends { close(): Promise<void> }>(part: T): T {
    open.push(part);
    return part;
  }

  async function create(name: string): Promise<string> {
    const location = join(folder, name);
    kept(await openLevelDatabase(location, { create: true }));
    return location;
  }

  async function openLog(location: string, maxBytes = 1_000_000) {
    const memory = batchLogMemory();
    const reader = kept(await BatchLogReader.open(location, { memory }));
    const database = kept(await attachLevelDatabase(location, { log: { memory, maxBytes } }));
    return { reader, database };
  }

  async function closeAll(): Promise<void> {
    for (let part = open.pop(); part !== undefined; part = open.pop()) await part.close();
  }

  function logged(reader: BatchLogReader, from = 1): LinkedBatch[] {
    return [...reader.batches(from)];
  }

  async function content(database: Database): Promise<unknown[]> {
    const entries: unknown[] = [];
    for await (const { key, value } of database.entries(TABLE)) entries.push([[...key], [...value]]);
    return entries;
  }

  const follow = async (location: string) => kept(await BatchFollower.open(location, assert.fail));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-log-"));
  });

  afterEach(async () => {
    await closeAll();
    rmSync(folder, { recursive: true });
  });

  it("has every batch, linked to the one before, until it is acknowledged", async () => {
    const { reader, database } = await openLog(await create("writer"), 2_000);
    for (const key of [1, 2, 3]) await database.write([put(key, 300)]);
    await reader.written(0, 60_000);
    assert.equal(reader.latest, 3);
    const batches = logged(reader);
    assert.deepEqual(
      batches.map(({ sequence }) => sequence),
      [1, 2, 3],
    );
    assert.deepEqual(batches[1]!.previous, batches[0]!.hash);
    assert.deepEqual([...reader.linkOf(3)!.hash], [...batches[2]!.hash]);
    reader.acknowledge(2);
    await database.write([put(4, 300)]);
    assert.equal(reader.first(1)?.sequence, 3);
  });

  it("resolves a wait as soon as another batch is written", async () => {
    const { reader, database } = await openLog(await create("writer"));
    const waiting = reader.written(0, 600_000);
    await database.write([put(1)]);
    await waiting;
    assert.equal(logged(reader).length, 1);
  });

  it("keeps unacknowledged batches through restarts, and goes on with them", async () => {
    const location = await create("writer");
    const first = await openLog(location);
    await first.database.write([put(1)]);
    await closeAll();
    kept(await openLevelDatabase(location));
    const second = await openLog(location);
    await second.database.write([put(2)]);
    const [one, two] = logged(second.reader);
    assert.deepEqual(two!.previous, one!.hash);
  });

  it("drops the oldest batches beyond its bound, never the newest", async () => {
    const { reader, database } = await openLog(await create("writer"), 3_000);
    for (const key of [1, 2, 3, 4]) await database.write([put(key, 1_000)]);
    assert.equal(reader.first(1)?.sequence, 3);
    await database.write([put(5, 10_000)]);
    assert.equal(reader.first(1)?.sequence, 5);
  });

  it("is read on from any batch, while others are written and its files are deleted", async () => {
    const { reader, database } = await openLog(await create("writer"), 10_000);
    const read: number[] = [];
    for (let key = 1; key <= 60; key++) {
      await database.write([put(key, 400)]);
      if (key % 3 === 0) read.push(...logged(reader, (read.at(-1) ?? 0) + 1).map(({ sequence }) => sequence));
      reader.acknowledge(key - 1);
    }
    assert.deepEqual(
      read,
      Array.from({ length: 60 }, (_, index) => index + 1),
    );
    assert.deepEqual(
      logged(reader, 59).map(({ sequence }) => sequence),
      [59, 60],
    );
    assert.ok(reader.first(1)!.sequence > 50);
  });

  it("has no batch that the database has not, and none from before a damaged one", async () => {
    const location = await create("writer");
    const { database } = await openLog(location);
    for (const key of [1, 2, 3]) await database.write([put(key)]);
    const [name] = readdirSync(join(location, "log-of-batches"));
    const file = join(location, "log-of-batches", name!);
    const record = statSync(file).size / 3;
    await closeAll();
    const reopened = async () => {
      kept(await openLevelDatabase(location));
      const sequences = logged((await openLog(location)).reader).map(({ sequence }) => sequence);
      await closeAll();
      return sequences;
    };
    // A record that was appended although the database did not commit its batch.
    writeFileSync(file, readFileSync(file).subarray(record, record + 20), { flag: "a" });
    assert.deepEqual(await reopened(), [1, 2, 3]);
    const damaged = readFileSync(file);
    assert.equal(damaged.length, 3 * record);
    damaged[2 * record - 1]! ^= 1;
    writeFileSync(file, damaged);
    assert.deepEqual(await reopened(), []);
  });

  it("is empty after batches were written without it", async () => {
    const location = await create("writer");
    const { database } = await openLog(location);
    await database.write([put(1)]);
    await closeAll();
    kept(await openLevelDatabase(location));
    await kept(await attachLevelDatabase(location)).write([put(2)]);
    await closeAll();
    kept(await openLevelDatabase(location));
    const { reader, database: again } = await openLog(location);
    await again.write([put(3)]);
    assert.deepEqual(
      logged(reader).map(({ sequence }) => sequence),
      [3],
    );
  });

  it("makes a copy equal, from the state of the copy on, each batch once", async () => {
    const location = await create("writer");
    const { reader, database } = await openLog(location);
    await database.write([put(1)]);
    const copy = join(folder, "copy");
    await copyRunningDatabase(location, copy);
    await database.write([put(2), { table: TABLE, key: numberToBytes(1), value: undefined }]);
    await database.write([put(3)]);
    const replica = kept(await openLevelDatabase(copy));
    const follower = await follow(copy);
    assert.equal(follower.last.sequence, 1);
    for (const batch of logged(reader, 2)) await follower.apply(batch);
    assert.deepEqual(await content(replica), await content(database));
    assert.deepEqual(follower.linkOf(3), reader.linkOf(3));
    assert.deepEqual(follower.base, reader.base);
    await closeAll();
    kept(await openLevelDatabase(copy));
    assert.equal((await follow(copy)).last.sequence, 3);
  });

  it("refuses a batch that does not follow, and none is applied after it", async () => {
    const { reader, database } = await openLog(await create("writer"));
    for (const key of [1, 2]) await database.write([put(key)]);
    const [one, two] = logged(reader);
    const follower = await follow(await create("replica"));
    await assert.rejects(follower.apply(two!), { code: "BATCH_ORDER" });
    await assert.rejects(follower.apply(one!), { code: "BATCH_ORDER" });
  });

  it("refuses a batch with another content than its hash says", async () => {
    const { reader, database } = await openLog(await create("writer"));
    await database.write([put(1)]);
    const [one] = logged(reader);
    const packed = one!.packed.slice();
    packed[packed.length - 1]! ^= 1;
    const follower = await follow(await create("replica"));
    await assert.rejects(follower.apply({ ...one!, packed }), { code: "BATCH_CONTENT" });
  });

  it("is passed on by writers in the calling thread too", async () => {
    const location = await create("writer");
    const memory = batchLogMemory();
    const reader = kept(await BatchLogReader.open(location, { memory }));
    const options = { log: { memory, maxBytes: 1_000 }, writesHere: true };
    await kept(await attachLevelDatabase(location, options)).write([put(1)]);
    assert.equal(logged(reader).length, 1);
  });
});
