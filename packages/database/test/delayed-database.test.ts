import assert from "node:assert/strict";
import { DatabaseError, DelayedDatabase, MemoryDatabase, type Write } from "../src/index.js";

const TABLE = 1;
const KEY = Uint8Array.of(1);
/** Milliseconds that no test takes. */
const LONG = 2 ** 30;

const put = (value: number): Write[] => [{ table: TABLE, key: KEY, value: Uint8Array.of(value) }];

async function listed(database: MemoryDatabase | DelayedDatabase): Promise<number[]> {
  const values: number[] = [];
  for await (const { value } of database.entries(TABLE)) values.push(value[0]!);
  return values;
}

describe("delayed database", () => {
  it("reads a batch at once, and others do after `written`", async () => {
    const memory = new MemoryDatabase();
    const database = new DelayedDatabase(memory, { delay: LONG });
    await database.write(put(1));
    await database.write(put(2));
    assert.deepEqual([database.get(TABLE, KEY)?.[0], memory.get(TABLE, KEY)], [2, undefined]);
    await database.written();
    assert.equal(memory.get(TABLE, KEY)?.[0], 2);
    await database.written();
  });

  it("writes nothing while it is held, and then all batches at once, also more than its capacity", async () => {
    const memory = new MemoryDatabase();
    const database = new DelayedDatabase(memory, { delay: 0, capacity: 2 });
    const batches: number[] = [];
    const { write } = memory;
    memory.write = (batch) => {
      batches.push(batch.length);
      return write.call(memory, batch);
    };
    await database.write(put(0));
    const release = database.hold();
    for (let key = 1; key <= 4; key++) {
      await database.write([{ table: TABLE, key: Uint8Array.of(key), value: Uint8Array.of(key) }]);
    }
    const written = database.written();
    await new Promise(setImmediate);
    assert.deepEqual([batches, database.get(TABLE, Uint8Array.of(4))?.[0]], [[], 4]);
    release();
    await written;
    assert.deepEqual([batches, memory.get(TABLE, Uint8Array.of(4))?.[0]], [[4], 4]);
  });

  it("lists and closes with all batches", async () => {
    const memory = new MemoryDatabase();
    const database = new DelayedDatabase(memory, { delay: LONG });
    await database.write(put(1));
    assert.deepEqual(await listed(database), [1]);
    await database.write(put(2));
    await database.close();
    assert.equal(memory.get(TABLE, KEY)?.[0], 2);
  });

  it("reports a batch that it cannot write, which can still be read, and accepts no more", async () => {
    const memory = new MemoryDatabase();
    const failures: DatabaseError[] = [];
    const database = new DelayedDatabase(memory, { delay: LONG, onFailure: (error) => failures.push(error) });
    memory.write = () => Promise.reject(new Error("disk full"));
    await database.write(put(1));
    const isWriteError = (error: unknown) => error instanceof DatabaseError && error.code === "DATABASE_WRITE";
    await assert.rejects(database.written(), isWriteError);
    assert.deepEqual([failures.length, failures.every(isWriteError)], [1, true]);
    assert.equal(database.get(TABLE, KEY)?.[0], 1);
    await assert.rejects(database.write(put(2)), isWriteError);
    assert.equal(database.get(TABLE, KEY)?.[0], 1);
    await database.close();
  });
});
