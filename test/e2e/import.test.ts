import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { buildGenesis } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { toHex } from "@cambium/primitives";
import { type CommandResult, runCli, runCliWithInput, withFolder } from "@cambium/test-utils/node-cli";
import { vectorPath } from "@cambium/test-utils/vectors";

/** The first twelve blocks, compressed by the zstd program in two halves: two frames, one with a checksum. */
const ZSTD = readFileSync(fileURLToPath(new URL("files/transfers-12.blocks.txt.zst", import.meta.url)));
const LINES = readFileSync(vectorPath("chains", "transfers.blocks.txt"), "utf8").trim().split("\n");

/** Writes lines to a file and imports it into an empty database. */
function importLines(lines: readonly string[], ...flags: string[]): Promise<CommandResult> {
  return withFolder(async (folder) => {
    const file = join(folder, "blocks.txt");
    writeFileSync(file, `${lines.join("\n")}\n`);
    const network = flags.includes("--network") ? [] : ["--network", "local"];
    return runCli("import", file, ...network, "--data-dir", join(folder, "data"), ...flags);
  });
}

/** Imports standard input into an empty database. */
function importInput(input: Uint8Array): Promise<CommandResult> {
  return withFolder((folder) =>
    runCliWithInput(input, "import", "-", "--network", "local", "--data-dir", folder, "--json"),
  );
}

describe("node-cli import", () => {
  it("reads standard input, plain, gzip or zstd, and lines as they are on Windows", async () => {
    const text = LINES.slice(0, 12).join("\r\n");
    const gzip = Buffer.concat([
      gzipSync(`${LINES.slice(0, 5).join("\n")}\n`),
      gzipSync(LINES.slice(5, 12).join("\n")),
    ]);
    for (const input of [Buffer.from(text), gzip, ZSTD]) {
      const { status, stdout, stderr } = await importInput(input);
      assert.equal(status, 0, stderr);
      const { imported, best } = JSON.parse(stdout);
      assert.deepEqual([imported, best.hash], [12, `0x${LINES[11]!.split(",")[1]}`]);
    }
  });

  it("reads what export-blocks of the deployed client writes: block 0 too, and total difficulties with a sign byte", async () => {
    const { block } = buildGenesis(NETWORKS.local, { put: () => undefined });
    const genesis = `0,${toHex(block.hash)},01,${toHex(block.encode())}`;
    const signed = LINES.slice(0, 5).map((line) => line.replace(/^(\d+,\w+),(\w+)/, "$1,0080$2"));
    const { status, stdout, stderr } = await importLines([genesis, ...signed], "--json");
    assert.equal(status, 0, stderr);
    const { imported, known, best } = JSON.parse(stdout);
    assert.deepEqual([imported, known, best.totalDifficulty], [5, 1, "6"]);
  });

  it("keeps what precedes the end of a truncated file, and names the place", async () => {
    await withFolder(async (folder) => {
      const file = join(folder, "blocks");
      const whole = gzipSync(LINES.join("\n"));
      const damaged = { gzip: whole.subarray(0, whole.length / 2), zstd: ZSTD.subarray(0, -100) };
      for (const [name, bytes] of Object.entries(damaged)) {
        writeFileSync(file, bytes);
        const data = ["--network", "local", "--data-dir", join(folder, name)];
        const { status, stderr } = await runCli("import", file, ...data);
        assert.equal(status, 1);
        const [, line] = stderr.match(
          /^node-cli: cannot read .*blocks after line (\d+): unexpected .*; the blocks up to there are kept: /i,
        )!;
        const { best } = JSON.parse((await runCli("db", "stats", ...data, "--json")).stdout);
        assert.equal(best.number, Number(line));
        assert(best.number >= 5, `${best.number} blocks`);
      }
    });
  });

  it("fails at its end if a block was rejected, and describes blocks without a parent in one line", async () => {
    const { status, stdout } = await importLines([...LINES.slice(0, 4), ...LINES.slice(5), "nonsense"]);
    assert.equal(status, 1);
    const [missing, malformed, summary] = stdout.split("\n");
    assert.match(missing!, /^rejected .*blocks.txt:5-59 \(blocks 6 to 60\): MISSING_PARENT: /);
    assert.match(malformed!, /^rejected .*blocks.txt:60: BLOCK_FILE_LINE: expected 4 fields, found 1$/);
    assert.match(summary!, /^4 imported, 0 on side chains, 0 already known, 56 rejected in /);
    assert.equal((await importLines(LINES)).status, 0);
  });

  it("stops once --max-rejected lines were rejected, 100 by default", async () => {
    const nonsense = Array.from({ length: 1000 }, () => "nonsense");
    const stopped = await importLines([...nonsense, ...LINES], "--json");
    const { rejectedCount, tooManyRejected, imported } = JSON.parse(stopped.stdout);
    assert.deepEqual([stopped.status, rejectedCount, tooManyRejected, imported], [1, 100, true, 0]);
    const few = await importLines([...nonsense, ...LINES], "--max-rejected", "3");
    assert.match(few.stdout, /\nstopped, because 3 lines were rejected; .*--max-rejected/);
    const all = JSON.parse((await importLines([...nonsense, ...LINES], "--max-rejected", "1001", "--json")).stdout);
    assert.deepEqual([all.rejectedCount, all.tooManyRejected, all.imported], [1000, false, 60]);
    const none = await importLines(LINES, "--max-rejected", "0");
    assert.match(none.stderr, /invalid value '0' for --max-rejected: expected a whole number from 1 on/);
  });

  it("ends with an error on a device without an end, and on empty lines, after the blocks before them", async () => {
    await withFolder(async (folder) => {
      const file = join(folder, "blocks");
      writeFileSync(file, Buffer.concat([Buffer.from(`${LINES[0]}\n`), Buffer.alloc(80 * 2 ** 20, "\n")]));
      const data = ["--network", "local", "--data-dir", join(folder, "data")];
      const zero = await runCli("import", "/dev/zero", ...data);
      assert.equal(zero.status, 1);
      assert.match(zero.stderr, /^node-cli: cannot read \/dev\/zero: it begins with a zero byte, expected lines of /);
      const empty = await runCli("import", file, ...data);
      assert.equal(empty.status, 1);
      assert.match(
        empty.stderr,
        /node-cli: cannot read .*blocks after line 67\d{6}: no line with a block in 64 MiB; the blocks up to there are kept/,
      );
      assert.equal(JSON.parse((await runCli("db", "stats", ...data, "--json")).stdout).best.number, 1);
    });
  });

  it("names the network of a file of another one", async () => {
    const fromStart = await importLines(LINES, "--network", "main");
    assert.equal(fromStart.status, 1);
    assert.match(
      fromStart.stderr,
      /^node-cli: .*blocks.txt:1: the block is of the network local, not of main: its chain begins with the genesis block 0x.{64}; choose another file, or --network local\n$/,
    );
    const later = await importLines(LINES.slice(30), "--network", "test");
    assert.match(
      later.stderr,
      /the block is of the network local, not of test: its transactions are signed for chain id 33;/,
    );
  });
});
