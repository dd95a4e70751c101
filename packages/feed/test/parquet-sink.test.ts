import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BlockRows } from "../src/rows.js";
import { TABLES } from "../src/schema.js";
import { ParquetSink } from "../src/sinks/parquet.js";
import { parquetBytes } from "../src/sinks/parquet-file.js";

const hash = (number: number) => `0x${String(number).padStart(64, "0")}`;
const CONTENT = { chainId: 33, genesis: hash(0), tables: ["blocks"] as const };

function blockAt(number: number): BlockRows {
  const row = Object.fromEntries(TABLES.blocks.columns.map(({ name, type }) => [name, type === "timestamp" ? 1 : "1"]));
  const blocks = [{ ...row, block_number: number, block_hash: hash(number), sign: 1 }];
  return { number, hash: hash(number), parentHash: hash(number - 1), bytes: 100, rows: { blocks } };
}

describe("a folder of Parquet files that was changed", () => {
  let folder: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-parquet-"));
    const sink = new ParquetSink(folder, 2);
    await sink.open(CONTENT);
    await sink.write([0, 1].map(blockAt));
    await sink.write([2, 3].map(blockAt));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const newest = () => join(folder, "blocks", readdirSync(join(folder, "blocks")).toSorted().at(-1)!);
  const open = () => new ParquetSink(folder, 2).open(CONTENT);

  it("has the position of its newest file otherwise", async () => {
    assert.deepEqual(await open(), { number: 3, hash: hash(3) });
  });

  it("ends the feed if the newest file is none, or cut", async () => {
    const content = readFileSync(newest());
    for (const damaged of ["", "junk", "PAR1PAR1", content.subarray(0, content.length / 2)]) {
      writeFileSync(newest(), damaged);
      await assert.rejects(open(), { code: "SINK" });
    }
  });

  it("ends the feed if rows of a file cannot be read", async () => {
    const sink = new ParquetSink(folder, 2);
    await sink.open(CONTENT);
    writeFileSync(newest(), readFileSync(newest()).fill(255, 4, 100));
    await assert.rejects(sink.hashAt(2), { code: "SINK" });
    await assert.rejects(sink.retract(2), { code: "SINK" });
  });

  it("ends the feed if the position in it is none", async () => {
    const positions = [
      "",
      "junk",
      "{}",
      "[]",
      '"x"',
      '{"number":-1}',
      `{"number":"3","hash":"${hash(3)}"}`,
      '{"number":3,"hash":"3"}',
    ];
    for (const position of positions) {
      writeFileSync(newest(), parquetBytes(TABLES.blocks, blockAt(3).rows.blocks!, { "cambium.position": position }));
      await assert.rejects(open(), { code: "SINK" }, position);
    }
  });

  it("ends the feed if the file to retract is missing", async () => {
    const sink = new ParquetSink(folder, 2);
    const position = JSON.stringify({ number: 9, hash: hash(9) });
    writeFileSync(newest(), parquetBytes(TABLES.blocks, blockAt(3).rows.blocks!, { "cambium.position": position }));
    assert.deepEqual(await sink.open(CONTENT), { number: 9, hash: hash(9) });
    await assert.rejects(sink.retract(2), { code: "SINK" });
  });

  it("ends the feed if it says that it holds another chain, or nothing", async () => {
    for (const text of ["", "null", "junk", "[]", JSON.stringify({ ...CONTENT, chainId: 30, tables: "blocks" })]) {
      writeFileSync(join(folder, "feed.json"), text);
      await assert.rejects(open(), ({ code }: { code?: string }) => ["SINK", "OTHER_CONTENT"].includes(code!), text);
    }
  });
});
