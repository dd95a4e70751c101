import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { numberToBytes, toHex } from "@cambium/primitives";
import { fc } from "@cambium/test-utils/properties";
import { ClassicLevel } from "classic-level";
import { attachLevelDatabase, type Database, openLevelDatabase, type Write } from "../src/index.js";
import { writeBufferSize } from "../src/level-opening.js";
import { packBatch, packedLength, replayBatch } from "../src/packed-batch.js";

const HEADERS = 1;
const RECEIPTS = 2;

describe("level database", () => {
  let folder: string;
  let database: Database;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-level-"));
    database = await openLevelDatabase(folder, { create: true });
  });

  afterEach(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });

  it("returns arrays, no buffers, whose slices would share memory", async () => {
    await database.write([{ table: HEADERS, key: Uint8Array.of(1), value: Uint8Array.of(2) }]);
    const read = [database.get(HEADERS, Uint8Array.of(1))];
    for await (const { key, value } of database.entries(HEADERS)) read.push(key, value);
    assert.deepEqual(read, [Uint8Array.of(2), Uint8Array.of(1), Uint8Array.of(2)]);
  });

  it("has a write buffer that grows with its tables, if there is memory", () => {
    const [MIB, GIB] = [2 ** 20, 2 ** 30];
    const sizes = ([tables, available]: readonly [number, number]) => writeBufferSize(tables, available) / MIB;
    const cases = [
      [0, 16 * GIB],
      [240 * MIB, 16 * GIB],
      [40 * GIB, 16 * GIB],
      [40 * GIB, 2 * GIB],
      [40 * GIB, 0],
    ] as const;
    assert.deepEqual(cases.map(sizes), [32, 60, 128, 64, 32]);
  });

  it("persists entries, sorted within their table", async () => {
    const put = (table: Write["table"], key: number, value: number | undefined): Write => ({
      table,
      key: numberToBytes(key),
      value: value === undefined ? undefined : numberToBytes(value),
    });
    await database.write([put(HEADERS, 2, 20), put(HEADERS, 1, 10), put(RECEIPTS, 1, 30)]);
    await database.write([put(HEADERS, 3, 40), put(HEADERS, 2, undefined)]);
    assert.equal(database.get(HEADERS, numberToBytes(2)), undefined);
    const entries = [];
    for await (const { key, value } of database.entries(HEADERS)) entries.push([key[0], value[0]]);
    assert.deepEqual(entries, [
      [1, 10],
      [3, 40],
    ]);
  });

  it("releases the directory even if its writer thread has failed", async () => {
    const change: Write = { table: HEADERS, key: numberToBytes(1), value: numberToBytes(10) };
    await database.write([change]);
    const { worker } = (database as unknown as { writer: { client: { worker: Worker } } }).writer.client;
    worker.emit("error", new Error("failed"));
    await assert.rejects(database.write([change]));
    await database.close();
    const alone = new ClassicLevel(folder, { multithreading: false });
    await alone.open();
    await alone.close();
  });

  it("writes in the calling thread on request, with the same guarantees", async () => {
    const attached = await attachLevelDatabase(folder, { writesHere: true });
    const change = (key: number): Write => ({ table: HEADERS, key: numberToBytes(key), value: numberToBytes(10) });
    await Promise.all([attached.write([change(1)]), attached.write([change(2), change(3)])]);
    assert.equal(toHex(database.get(HEADERS, numberToBytes(3))!), "0a");
    assert.equal((attached as unknown as { writer: { client?: unknown } }).writer.client, undefined);
    await attached.close();
    await database.close();
    // Verifies that the batches of both writers are linked.
    database = await openLevelDatabase(folder);
    assert.equal(toHex(database.get(HEADERS, numberToBytes(1))!), "0a");
  });

  it("writes the first content of a database without a thread, as the first batch", async () => {
    const content = () => [{ table: HEADERS, key: numberToBytes(1), value: numberToBytes(10) }] as const;
    const other = join(folder, "other");
    let created = await openLevelDatabase(other, { create: true, content });
    assert.equal((created as unknown as { writer?: unknown }).writer, undefined);
    assert.equal(toHex(created.get(HEADERS, numberToBytes(1))!), "0a");
    await created.write([{ table: HEADERS, key: numberToBytes(1), value: numberToBytes(20) }]);
    await created.close();
    created = await openLevelDatabase(other, { create: true, content });
    assert.equal(toHex(created.get(HEADERS, numberToBytes(1))!), "14");
    await created.close();
  });

  it("reports that its writer thread has failed, even while nothing is written", async () => {
    const failures: Error[] = [];
    const attached = await attachLevelDatabase(folder, { onWriterFailure: (error) => failures.push(error) });
    await attached.write([{ table: HEADERS, key: numberToBytes(1), value: numberToBytes(10) }]);
    const { worker } = (attached as unknown as { writer: { client: { worker: Worker } } }).writer.client;
    await worker.terminate();
    assert.match(failures[0]!.message, /WORKER_FAILED thread=database writer/);
    await attached.close();
  });

  it("replays packed batches sorted by key prefix, keeping the order of changes of one key", () => {
    const bytes = fc.uint8Array({ maxLength: 300 });
    const write = fc.record({
      table: fc.integer({ min: 1, max: 254 }),
      key: bytes,
      value: fc.option(bytes, { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(write), (batch) => {
        const packed = new Uint8Array(packedLength(batch));
        packBatch(batch, packed);
        const replayed: string[][] = [];
        replayBatch(packed, {
          put: (key, value) => replayed.push([toHex(key), toHex(value)]),
          del: (key) => replayed.push([toHex(key)]),
        });
        const expected = batch.map(({ table, key, value }) => {
          const whole = toHex(Uint8Array.of(table, ...key));
          return value === undefined ? [whole] : [whole, toHex(value)];
        });
        const beginning = ([key]: string[]): string => key!.slice(0, 8).padEnd(8, "0");
        expected.sort((a, b) => (beginning(a) < beginning(b) ? -1 : beginning(a) > beginning(b) ? 1 : 0));
        assert.deepEqual(replayed, expected);
      }),
    );
  });

  it("replays batches of millions of changes", () => {
    const count = 2 ** 21 + 5;
    const entry = packedLength([{ table: HEADERS, key: new Uint8Array(4), value: undefined }]);
    const packed = new Uint8Array(count * entry);
    for (let i = 0; i < count; i++) {
      const key = Uint8Array.of(i, i >> 8, i >> 16, 0);
      packBatch([{ table: HEADERS, key, value: undefined }], packed.subarray(i * entry));
    }
    let replayed = 0;
    let last = 0;
    replayBatch(packed, {
      put: () => assert.fail(),
      del: (key) => {
        const beginning = (key[1]! << 16) | (key[2]! << 8) | key[3]!;
        // Compares the first bits only: they order the few keys of this test.
        assert(beginning >> 1 >= last >> 1);
        last = beginning;
        replayed++;
      },
    });
    assert.equal(replayed, count);
  });
});
