import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { openChain } from "@cambium/chain";
import { ChainError } from "@cambium/chain-store";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { bytesToBigint, toHex } from "@cambium/primitives";
import { chainFile } from "@cambium/test-utils/chain-files";
import { fc, runs } from "@cambium/test-utils/properties";
import { BlockFileWriter } from "../../src/files/block-file.js";
import { exportFile, type ImportProgress, importFiles, readBlockFile } from "../../src/index.js";

const network = NETWORKS.local;

describe("block files", () => {
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-block-file-"));
  });

  after(() => rmSync(folder, { recursive: true }));

  async function readAll(path: string) {
    const lines = [];
    for await (const line of readBlockFile(path)) lines.push(line);
    return lines;
  }

  it("are read as they were written, plain and gzipped", async () => {
    const entry = fc.record({
      number: fc.nat(),
      hash: fc.uint8Array({ minLength: 32, maxLength: 32 }),
      totalDifficulty: fc.bigInt({ min: 1n, max: 1n << 200n }),
      rlp: fc.uint8Array({ minLength: 1, maxLength: 500 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 20 }),
        fc.constantFrom("a.txt", "a.txt.gz"),
        async (entries, name) => {
          const path = join(folder, name);
          const writer = new BlockFileWriter(path);
          for (const one of entries) await writer.write(one);
          await writer.close();
          const read = (await readAll(path)).map((line) => ("entry" in line ? line.entry : undefined));
          assert.deepEqual(
            read.map((one) => one && [one.line, one.number, toHex(one.hash), one.totalDifficulty, toHex(one.rlp)]),
            entries.map((one, i) => [i + 1, one.number, toHex(one.hash), one.totalDifficulty, toHex(one.rlp)]),
          );
        },
      ),
      { numRuns: runs(30) },
    );
  });

  it("report malformed lines by number and continue", async () => {
    const hash = "00".repeat(32);
    const path = join(folder, "bad.txt");
    const lines = [
      `1,${hash},01,c0`,
      "",
      "what",
      `x,${hash},01,c0`,
      `2,00,01,c0`,
      `3,${hash},zz,c0`,
      `4,${hash},02,c0\r`,
      `5,${hash},02,c`,
    ];
    writeFileSync(path, lines.join("\n"));
    const read = await readAll(path);
    assert.deepEqual(
      read.map((line) => ("entry" in line ? line.entry.number : `line ${line.line}`)),
      [1, "line 3", "line 4", "line 5", "line 6", 4, "line 8"],
    );
    for (const line of read) if ("fault" in line) assert.equal(line.fault.code, "BLOCK_FILE_LINE");
  });

  it("report a line that is too long, and continue with the next", async () => {
    const path = join(folder, "long.txt");
    const good = `1,${"00".repeat(32)},01,c0\n`;
    writeFileSync(path, `${good}${"0".repeat(33 * 1024 * 1024)}\n${good}`);
    const read = await readAll(path);
    assert.deepEqual(
      read.map((line) => ("entry" in line ? "block" : line.fault.details.code)),
      ["block", "BLOCK_FILE_LINE", "block"],
    );
  });

  it("are given up if they go on without a line, and report what is read meanwhile", async () => {
    const good = `1,${"00".repeat(32)},01,c0\n`;
    const size = 70 * 1024 * 1024;
    const path = join(folder, "gap");
    for (const [content, lines, after] of [
      [Buffer.alloc(size, "\n"), 0, /afterLine=67\d{6} reason=no line with a block in 64 MiB/],
      [Buffer.concat([Buffer.from(`${good}${good}`), Buffer.alloc(size, "0")]), 2, /afterLine=2 reason=no line with/],
      [gzipSync(Buffer.concat([Buffer.from(good), Buffer.alloc(size, "\n")])), 1, /reason=no line with a block/],
      [Buffer.from("\0\0\0\0"), 0, /afterLine=0 reason=it begins with a zero byte, expected lines of number,/],
    ] as const) {
      writeFileSync(path, content);
      const read: unknown[] = [];
      const bytes: number[] = [];
      await assert.rejects(
        async () => {
          const options = { onBytes: (bytesRead: number) => bytes.push(bytesRead) };
          for await (const line of readBlockFile(path, options)) read.push(line);
        },
        (error) => error instanceof ChainError && error.code === "BLOCK_FILE" && after.test(error.message),
      );
      assert.equal(read.length, lines);
      assert(bytes.length > 0 && bytes.every((value, i) => value > (bytes[i - 1] ?? 0)));
      assert(bytes.at(-1)! <= 64 * 1024 * 1024 + 2 ** 20);
    }
    // Long gaps that end are no fault.
    const gap = "\n".repeat(40 * 1024 * 1024);
    writeFileSync(path, `${gap}${good}${gap}${good}`);
    assert.deepEqual(
      (await readAll(path)).map((line) => "entry" in line && line.entry.line),
      [gap.length + 1, 2 * gap.length + 2],
    );
  });

  it("report the progress of an import by bytes, before there is a line", async () => {
    const paths = ["first.txt", "second.txt"].map((name) => join(folder, name));
    for (const path of paths) writeFileSync(path, `${"\n".repeat(300_000)}x\n`);
    const chain = await openChain({ network, database: new MemoryDatabase() });
    const seen: ImportProgress[] = [];
    await importFiles(chain, paths, { onProgress: (progress) => seen.push(progress) });
    const [first] = seen;
    assert.deepEqual([first!.lines, first!.bytesRead, first!.fractionRead], [0, 65_536, 65_536 / 600_004]);
    const { lines, bytesRead, fractionRead } = seen.at(-1)!;
    assert.deepEqual([lines, bytesRead, fractionRead], [2, 600_004, 1]);
    assert(seen.every((progress, i) => progress.bytesRead >= (seen[i - 1]?.bytesRead ?? 0)));
  });

  it("end within a line when they are aborted", async () => {
    const path = join(folder, "endless.txt");
    writeFileSync(path, `x\n${"0".repeat(4 * 1024 * 1024)}`);
    const abort = new AbortController();
    const read = [];
    for await (const line of readBlockFile(path, { signal: abort.signal })) {
      read.push(line);
      abort.abort();
    }
    assert.equal(read.length, 1);
  });

  it("count rejected lines, and describe the first ten thousand", async () => {
    const path = join(folder, "many.txt");
    writeFileSync(path, "x\n".repeat(10_001));
    const chain = await openChain({ network, database: new MemoryDatabase() });
    const { rejected, rejectedCount } = await importFiles(chain, [path]);
    assert.deepEqual([rejected.length, rejectedCount], [10_000, 10_001]);
  });

  it("name the file that cannot be read or written", async () => {
    const isFileError = (error: unknown) => error instanceof ChainError && error.code === "BLOCK_FILE";
    await assert.rejects(readAll(join(folder, "none")), isFileError);
    const writer = new BlockFileWriter(join(folder, "none", "a.txt"));
    await assert.rejects(writer.close(), isFileError);
    const broken = join(folder, "broken.gz");
    writeFileSync(broken, Uint8Array.of(0x1f, 0x8b, 1, 2, 3));
    await assert.rejects(readAll(broken), isFileError);
    const windows = join(folder, "window.zst");
    writeFileSync(windows, Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0x90, 1, 0, 0));
    await assert.rejects(readAll(windows), /the zstd window has 268435456 bytes, expected at most 134217728/);
  });

  it("are not archives, nor what is in the deployed client's", async () => {
    const path = join(folder, "bootstrap-data");
    for (const [bytes, what] of [
      [Buffer.from("PK\x03\x04\x14\0"), "a zip archive"],
      [gzipSync(Uint8Array.of(0xf9, 0x08, 0x44, 0xb9)), "RLP"],
    ] as const) {
      writeFileSync(path, bytes);
      await assert.rejects(
        readAll(path),
        new RegExp(`it is ${what}, such as bootstrap data .*, expected lines of number,`),
      );
    }
    for (const empty of ["", gzipSync(""), Buffer.from("28b52ffd240001000099e9d851", "hex")]) {
      writeFileSync(path, empty);
      assert.deepEqual(await readAll(path), []);
    }
  });

  it("carry a best chain from one database to another", async () => {
    const source = chainFile("uncles-and-reorgs");
    const chain = await openChain({ network, database: new MemoryDatabase() });
    const first = await importFiles(chain, [source]);
    assert(first.imported > 0 && first.side > 0 && first.known > 0);
    assert.deepEqual(new Set(first.rejected.map(({ code }) => code)), new Set(["MISSING_PARENT"]));
    const path = join(folder, "export.txt.gz");
    assert.equal(await exportFile(chain, path), chain.best().header.number);
    const copy = await openChain({ network, database: new MemoryDatabase() });
    const second = await importFiles(copy, [path]);
    assert.deepEqual(second.rejected, []);
    assert.deepEqual(second.best, first.best);
    const third = await importFiles(copy, [path]);
    assert.deepEqual([third.imported, third.known], [0, second.imported]);
  });

  it("reject a line with a damaged block and import the rest", async () => {
    const source = chainFile("transfers");
    const lines = readFileSync(source, "latin1").trim().split("\n").slice(0, 6);
    const path = join(folder, "damaged.txt");
    const damaged = lines[2]!.replace(/..$/, "");
    writeFileSync(path, [lines[0], lines[1], "nonsense", damaged, ...lines.slice(2)].join("\n"));
    const chain = await openChain({ network, database: new MemoryDatabase() });
    const { imported, rejected, best } = await importFiles(chain, [path]);
    assert.equal(imported, 6);
    assert.deepEqual(
      rejected.map(({ line, number, code }) => [line, number, code]),
      [
        [3, null, "BLOCK_FILE_LINE"],
        [4, 3, "DECODING"],
      ],
    );
    assert.equal(bytesToBigint(best.hash), BigInt(`0x${lines[5]!.split(",")[1]}`));
  });
});
