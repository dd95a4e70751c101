import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildGenesis } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { fromHex, toHex } from "@cambium/primitives";
import { readVector } from "@cambium/test-utils/chains/chain-vectors";
import { type CommandResult, runCli, withFolder } from "@cambium/test-utils/node-cli";
import { vectorPath } from "@cambium/test-utils/vectors";
import { decodeBlockHeader } from "@cambium/types";
import RocksDB from "rocksdb-native";

/** RLP of blocks by hash, in hex: the content of the deployed client's block store. */
type Records = Map<string, Uint8Array>;

const genesis = buildGenesis(NETWORKS.local, { put: () => undefined }).block;
const { bestBlock } = JSON.parse(readVector(vectorPath("chains", "uncles-and-reorgs.json.gz")));

/** All blocks of a recorded tree of blocks, genesis included. */
function recordedTree(): Records {
  const lines = readVector(vectorPath("chains", "uncles-and-reorgs.blocks.txt.gz")).trim().split("\n");
  const blocks = lines.map((line) => line.split(",")).map(([, hash, , rlp]) => [hash!, fromHex(rlp!)] as const);
  return new Map([[toHex(genesis.hash), genesis.encode()], ...blocks]);
}

/** Hashes of the best chain by number. */
function bestChain(records: Records): string[] {
  const hashes: string[] = [];
  for (let hash: string = bestBlock.hash.slice(2); records.has(hash); ) {
    hashes.unshift(hash);
    hash = toHex(decodeBlockHeader(records.get(hash)!, NETWORKS.local).parentHash);
  }
  return hashes;
}

/** Adds records to a database folder in the layout of the deployed client. */
async function writeRecords(folder: string, records: Records): Promise<void> {
  mkdirSync(join(folder, "blocks"), { recursive: true });
  writeFileSync(join(folder, "blocks", "index"), "the deployed client's index, which is not read");
  const database = new RocksDB(join(folder, "blocks"));
  for (const [hash, rlp] of records) await database.put(fromHex(hash), rlp);
  await database.close();
}

/** Names, times and hashes of all files. */
function contents(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => `${path} ${statSync(path).mtimeMs} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`)
    .sort();
}

/** Writes records to a folder and imports it into an empty database. */
function importRecords(records: Records, ...flags: string[]): Promise<CommandResult> {
  return withFolder(async (folder) => {
    await writeRecords(folder, records);
    return runCli("import", "--from-rskj", folder, "--network", "local", "--data-dir", join(folder, "data"), ...flags);
  });
}

describe("node-cli import --from-rskj", () => {
  const tree = recordedTree();
  const best = bestChain(tree);

  it("imports the best chain of a block store with side chains, and leaves its folder unchanged", async () => {
    await withFolder(async (folder) => {
      const [rskj, data] = [join(folder, "rskj"), join(folder, "data")];
      await writeRecords(rskj, tree);
      const before = contents(rskj);
      const command = ["import", "--from-rskj", rskj, "--network", "local", "--data-dir", data, "--json"];
      const { status, stdout, stderr } = await runCli(...command);
      assert.equal(status, 0, stderr);
      const summary = JSON.parse(stdout);
      assert.deepEqual([summary.imported, summary.side, summary.rejectedCount], [best.length - 1, 0, 0]);
      assert.equal(summary.best.hash, bestBlock.hash);
      assert.equal(summary.best.stateRoot, bestBlock.stateRoot);
      assert.deepEqual(contents(rskj), before);
      assert(!existsSync(join(data, "from-rskj")), "the order of the blocks was kept");

      const again = JSON.parse((await runCli(...command)).stdout);
      assert.deepEqual([again.imported, again.known, again.best.hash], [0, 0, bestBlock.hash]);
    });
  });

  it("continues with the blocks that were added to the folder", async () => {
    await withFolder(async (folder) => {
      const command = [
        "import",
        "--from-rskj",
        folder,
        "--network",
        "local",
        "--data-dir",
        join(folder, "data"),
        "--json",
      ];
      for (const [from, to] of [
        [0, 8],
        [8, best.length],
      ] as const) {
        await writeRecords(folder, new Map(best.slice(from, to).map((hash) => [hash, tree.get(hash)!])));
        const { imported, best: reached } = JSON.parse((await runCli(...command)).stdout);
        assert.deepEqual([imported, reached.number], [to - Math.max(from, 1), to - 1]);
      }
    });
  });

  it("names a block of the best chain that is missing or damaged", async () => {
    const hash = best[5]!;
    const damaged = new Map(tree).set(hash, tree.get(hash)!.subarray(0, 100));
    const missing = new Map(tree);
    missing.delete(hash);
    for (const records of [damaged, missing]) {
      const { status, stderr } = await importRecords(records);
      assert.equal(status, 1);
      assert.match(
        stderr,
        new RegExp(
          `^node-cli: cannot import from .*: block 5 0x${hash} is missing or damaged, on which blocks 6 to ${best.length - 1} build; `,
        ),
      );
    }
  });

  it("ends at the first block that differs", async () => {
    const [, , , , , hash, next] = best as [string, string, string, string, string, string, string];
    const rlp = tree.get(hash)!.slice();
    rlp[rlp.length - 20]! ^= 1;
    const invalid = await importRecords(new Map(tree).set(hash, rlp));
    assert.equal(invalid.status, 1);
    const [difference, summary] = invalid.stdout.split("\n");
    assert.match(difference!, new RegExp(`^first difference: block 5 0x${hash}: [A-Z_]+: `));
    assert.match(summary!, /^4 imported, 0 on side chains, 0 already known, 1 rejected in /);

    const sibling = [...tree].find(([other, bytes]) => !best.includes(other) && numberOf(bytes) === 6)![1];
    const other = await importRecords(new Map(tree).set(next, sibling));
    assert.match(
      other.stdout,
      new RegExp(
        `^first difference: block 6: BLOCK_FILE_LINE: the block has the hash 0x.{64}, but is stored under 0x${next}\n`,
      ),
    );
  });

  it("says what is wrong with a folder", async () => {
    await withFolder(async (folder) => {
      const importing = (...flags: string[]) =>
        runCli("import", "--network", "test", "--data-dir", join(folder, "data"), ...flags);
      assert.match(
        (await importing("--from-rskj", folder)).stderr,
        /it has no blocks; name the folder of database.dir/,
      );
      await writeRecords(folder, new Map(best.map((hash) => [hash, tree.get(hash)!])));
      const other = await importing("--from-rskj", folder);
      assert.match(
        other.stderr,
        /its genesis block is not that of the network test; choose its network with --network/,
      );
      const limited = await importing("--from-rskj", folder, "--max-rejected", "5");
      assert.match(
        limited.stderr,
        /option '--from-rskj <folder>' cannot be used with option '--max-rejected <number>'/,
      );
      assert.match((await importing()).stderr, /expected either files or --from-rskj/);
      assert.match(
        (await importing("--from-rskj", folder, "blocks.txt")).stderr,
        /expected either files or --from-rskj/,
      );
    });
  });
});

function numberOf(rlp: Uint8Array): number {
  return decodeBlockHeader(rlp, NETWORKS.local).number;
}
