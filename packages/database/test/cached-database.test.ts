import assert from "node:assert/strict";
import { CachedDatabase, MemoryDatabase } from "../src/index.js";

const TABLE = 1;
const KEY = Uint8Array.of(1);

describe("cached database", () => {
  it("reads an entry once, and what was written since", async () => {
    const { database, reads } = counted();
    assert.equal(database.get(TABLE, KEY), undefined);
    assert.equal(database.get(TABLE, KEY), undefined);
    assert.equal(reads(), 1);
    const written = Uint8Array.of(7, 8);
    await database.write([{ table: TABLE, key: KEY, value: written.subarray(1) }]);
    assert.deepEqual([...database.get(TABLE, KEY)!], [8]);
    assert.equal(database.get(TABLE, KEY)!.buffer.byteLength, 1);
    await database.write([{ table: TABLE, key: KEY, value: undefined }]);
    assert.equal(database.get(TABLE, KEY), undefined);
    assert.equal(reads(), 1);
  });

  it("keeps tables apart, and reads long values each time", async () => {
    const { database, reads } = counted();
    await database.write([
      { table: TABLE, key: KEY, value: new Uint8Array(1000) },
      { table: TABLE + 1, key: KEY, value: Uint8Array.of(2) },
    ]);
    assert.deepEqual([...database.get(TABLE + 1, KEY)!], [2]);
    for (let i = 0; i < 2; i++) assert.equal(database.get(TABLE, KEY)!.length, 1000);
    assert.equal(reads(), 2);
  });

  it("does not keep what could not be written", async () => {
    const { memory, database } = counted();
    await database.write([{ table: TABLE, key: KEY, value: Uint8Array.of(1) }]);
    memory.write = () => Promise.reject(new Error("disk full"));
    await assert.rejects(database.write([{ table: TABLE, key: KEY, value: Uint8Array.of(2) }]), /disk full/);
    assert.deepEqual([...database.get(TABLE, KEY)!], [1]);
  });
});

function counted() {
  const memory = new MemoryDatabase();
  let reads = 0;
  const { get } = memory;
  memory.get = (...args) => {
    reads++;
    return get.apply(memory, args);
  };
  return { memory, database: new CachedDatabase(memory), reads: () => reads };
}
