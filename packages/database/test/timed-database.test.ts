import assert from "node:assert/strict";
import { MemoryDatabase, TimedDatabase } from "../src/index.js";

describe("timed database", () => {
  it("times one in so many reads", async () => {
    const memory = new MemoryDatabase();
    await memory.write([{ table: 1, key: Uint8Array.of(1), value: Uint8Array.of(7) }]);
    const times: number[] = [];
    const database = new TimedDatabase(memory, 4, (microseconds) => times.push(microseconds));
    for (let i = 0; i < 10; i++) {
      assert.deepEqual(database.get(1, Uint8Array.of(1)), Uint8Array.of(7));
      assert.equal(times.length, Math.floor((i + 1) / 4));
    }
    assert(times.every((time) => time >= 0));
  });

  it("writes to the database and closes it", async () => {
    const memory = new MemoryDatabase();
    const database = new TimedDatabase(memory, 1, () => undefined);
    await database.write([{ table: 1, key: Uint8Array.of(2), value: Uint8Array.of(3) }]);
    const keys: number[] = [];
    for await (const { key } of database.entries(1)) keys.push(...key);
    assert.deepEqual(keys, [2]);
    await database.close();
  });
});
