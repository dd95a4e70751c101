import assert from "node:assert/strict";
import { until } from "@cambium/test-utils/rpc-client";
import { type Database, DatabaseError, MemoryDatabase, type Table, type Write, WriteQueue } from "../src/index.js";

const FACTS = 1;
const NODES = 2;

/** A database that writes only when the test allows it. */
class SlowDatabase extends MemoryDatabase {
  readonly batches: { size: number; release: (error?: Error) => void }[] = [];

  override write: Database["write"] = async (batch) => {
    await new Promise<void>((resolve, reject) => {
      const release = (error?: Error) => (error === undefined ? resolve() : reject(error));
      this.batches.push({ size: batch.length, release });
    });
    await super.write(batch);
  };
}

function put(table: Table, key: number, value: number | undefined): Write {
  const bytes = new Uint8Array(32).fill(key);
  return { table, key: bytes, value: value === undefined ? undefined : Uint8Array.of(value) };
}

describe("write queue", () => {
  let database: SlowDatabase;
  let queue: WriteQueue;

  beforeEach(() => {
    database = new SlowDatabase();
    queue = new WriteQueue(database, { hashTable: NODES, capacity: 3 });
  });

  const read = (table: Table, key: number) => queue.get(table, new Uint8Array(32).fill(key))?.[0];

  it("reads the latest change of a key before it is written", async () => {
    const first = queue.append([put(FACTS, 1, 10), put(NODES, 2, 20)]);
    void queue.append([put(FACTS, 1, 11)]);
    void queue.append([put(FACTS, 1, undefined), put(NODES, 3, 30)]);
    assert.deepEqual([read(FACTS, 1), read(NODES, 2), read(NODES, 3), read(NODES, 4)], [undefined, 20, 30, undefined]);
    database.batches[0]!.release();
    await first;
    assert.deepEqual([read(FACTS, 1), read(NODES, 2)], [undefined, 20]);
    database.batches[1]!.release();
    await queue.idle();
    assert.deepEqual(
      database.batches.map(({ size }) => size),
      [2, 2],
    );
    assert.deepEqual([read(FACTS, 1), read(NODES, 3)], [undefined, 30]);
  });

  it("applies back-pressure above its capacity", async () => {
    void queue.append([put(FACTS, 1, 1), put(FACTS, 2, 2)]);
    await queue.room();
    void queue.append([put(FACTS, 3, 3), put(FACTS, 4, 4)]);
    let hasRoom = false;
    const room = queue.room().then(() => {
      hasRoom = true;
    });
    await Promise.resolve();
    assert.equal(hasRoom, false);
    database.batches[0]!.release();
    await room;
  });

  it("rejects everything after a failed batch", async () => {
    const isWriteError = (error: unknown) => error instanceof DatabaseError && error.code === "DATABASE_WRITE";
    const failing = assert.rejects(queue.append([put(FACTS, 1, 1)]), isWriteError);
    const waiting = assert.rejects(queue.append([put(FACTS, 2, 2)]), isWriteError);
    database.batches[0]!.release(new Error("disk full"));
    await Promise.all([failing, waiting]);
    await assert.rejects(queue.append([put(FACTS, 3, 3)]), isWriteError);
    await assert.rejects(queue.room(), isWriteError);
    assert.equal(database.batches.length, 1);
  });

  it("gathers changes for a time, and writes the latest of each key", async () => {
    queue = new WriteQueue(database, { delay: 5 });
    const written = [1, 2, 3].map((value) => queue.append([put(FACTS, 1, value), put(FACTS, 2, value)]));
    assert.deepEqual([read(FACTS, 1), database.batches.length], [3, 0]);
    await until(async () => database.batches.length === 1);
    database.batches[0]!.release();
    await Promise.all(written);
    assert.deepEqual([database.batches.length, database.batches[0]!.size], [1, 2]);
  });

  it("does not wait for more changes once a caller waits for them, or there is no room", async () => {
    queue = new WriteQueue(database, { delay: 2 ** 30, capacity: 1 });
    void queue.append([put(FACTS, 1, 1)]);
    await queue.room();
    const written = queue.written();
    await until(async () => database.batches.length === 1);
    database.batches[0]!.release();
    await written;
    void queue.append([put(FACTS, 1, 2), put(FACTS, 2, 2)]);
    const room = queue.room();
    await until(async () => database.batches.length === 2);
    database.batches[1]!.release();
    await room;
    assert.equal(queue.written(), undefined);
  });

  it("writes changes that wait for others together with the next ones that do not wait", async () => {
    const appended = [2 ** 30, 2 ** 30, undefined].map((delay, i) => queue.append([put(FACTS, i, 1)], delay));
    await until(async () => database.batches.length === 1);
    assert.deepEqual([database.batches[0]!.size, queue.gathered], [3, 0]);
    const waiting = queue.append([put(FACTS, 4, 1)], 2 ** 30);
    database.batches[0]!.release();
    await Promise.all(appended);
    assert.deepEqual([database.batches.length, queue.gathered], [1, 1]);
    void queue.written();
    await until(async () => database.batches.length === 2);
    database.batches[1]!.release();
    await waiting;
  });

  it("writes changes that have waited for others in vain", async () => {
    const waiting = queue.append([put(FACTS, 1, 1)], 5);
    await until(async () => database.batches.length === 1);
    database.batches[0]!.release();
    await waiting;
  });
});
