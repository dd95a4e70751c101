import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { NETWORKS } from "@cambium/config";
import { numberToBytes, toHex } from "@cambium/primitives";
import { ClassicLevel } from "classic-level";
import fc from "fast-check";
import {
  ChainError,
  type Database,
  openChain,
  openLevelDatabase,
  openReader,
  TABLES,
  type Write,
} from "../src/index.js";
import { packBatch, packedLength, replayBatch } from "../src/packed-batch.js";
import { chainBlocks } from "./vectors.js";

describe("level database", function () {
  this.timeout(20_000);
  let folder: string;
  let database: Database;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-level-"));
    database = await openLevelDatabase(folder);
  });

  afterEach(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });

  it("keeps what was written, sorted within its table", async () => {
    const put = (table: Write["table"], key: number, value: number | undefined): Write => ({
      table,
      key: numberToBytes(key),
      value: value === undefined ? undefined : numberToBytes(value),
    });
    await database.write([put(TABLES.headers, 2, 20), put(TABLES.headers, 1, 10), put(TABLES.receipts, 1, 30)]);
    await database.write([put(TABLES.headers, 3, 40), put(TABLES.headers, 2, undefined)]);
    assert.equal(database.get(TABLES.headers, numberToBytes(2)), undefined);
    const entries = [];
    for await (const { key, value } of database.entries(TABLES.headers)) entries.push([key[0], value[0]]);
    assert.deepEqual(entries, [
      [1, 10],
      [3, 40],
    ]);
  });

  it("lets go of the directory also when its writing thread has failed", async () => {
    const change: Write = { table: TABLES.headers, key: numberToBytes(1), value: numberToBytes(10) };
    await database.write([change]);
    const { worker } = (database as unknown as { writer: { worker: Worker } }).writer;
    worker.emit("error", new Error("failed"));
    await assert.rejects(database.write([change]));
    await database.close();
    const alone = new ClassicLevel(folder, { multithreading: false });
    await alone.open();
    await alone.close();
  });

  it("refuses a database of another network or a newer schema, and continues its own", async () => {
    const blocks = (await chainBlocks("transfers")).slice(0, 5);
    const chain = await openChain({ network: NETWORKS.local, database });
    await Promise.all(blocks.map((block) => chain.import(block)));
    const reader = openReader({ network: NETWORKS.local, database });
    assert.equal(toHex(reader.best().hash), toHex(blocks[4]!.hash));
    await chain.close();
    database = await openLevelDatabase(folder);
    const again = await openChain({ network: NETWORKS.local, database });
    assert.equal(again.best().header.number, 5);
    await assert.rejects(
      openChain({ network: NETWORKS.main, database }),
      (error) => error instanceof ChainError && error.code === "DATABASE_NETWORK",
    );
    await database.write([{ table: TABLES.facts, key: Uint8Array.of(1), value: Uint8Array.of(99) }]);
    await assert.rejects(
      openChain({ network: NETWORKS.local, database }),
      (error) => error instanceof ChainError && error.code === "DATABASE_SCHEMA",
    );
  });

  it("hands batches over whole, by the beginnings of their keys, the changes of one key in their order", () => {
    const bytes = fc.uint8Array({ maxLength: 300 });
    const write = fc.record({
      table: fc.constantFrom(...Object.values(TABLES)),
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
});
