import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { damageLargestFile } from "@cambium/test-utils/chains/damaged-database";
import { runCli, startNode, THREADED, withFolder } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";

const BACKUPS = 2;
/** Number of blocks whose log is so long that damage in its middle does not look like a truncated write. */
const BLOCKS = 150;

describe("backups of the database", () => {
  it("are complete chains, taken while a node mines; one replaces a damaged database", async () => {
    await withFolder(async (folder) => {
      const dataDir = join(folder, "data");
      const options = ["--network", "local", "--data-dir", dataDir];
      const node = await startNode(...options, ...THREADED);
      const rpc = new RpcClient(node.url, false);
      const hashes: string[] = [];
      let isBackingUp = true;
      const mining = (async () => {
        for (let mined = 0; isBackingUp || mined < BLOCKS; mined++) await rpc.call("evm_mine");
      })();
      try {
        for (let i = 0; i < BACKUPS; i++) {
          const before = Number(await rpc.call("eth_blockNumber"));
          const { stdout, stderr } = await runCli("db", "backup", join(folder, `backup-${i}`), ...options);
          const [, number, hash] = stdout.match(/and verified: best block (\d+) (0x[0-9a-f]{64})/) ?? [];
          assert.ok(Number(number) >= before, `${before}: ${stdout}${stderr}`);
          assert.equal((await rpc.call("eth_getBlockByNumber", `0x${Number(number).toString(16)}`, false)).hash, hash);
          hashes.push(hash!);
        }
      } finally {
        isBackingUp = false;
        await mining.catch(() => undefined);
        await node.stop();
      }
      const last = join(folder, `backup-${BACKUPS - 1}`);
      const check = await runCli("db", "check", "--deep", "--network", "local", "--data-dir", last);
      assert.equal(check.status, 0, check.stdout + check.stderr);

      // A backup neither overwrites another one, nor copies a damaged database.
      const again = await runCli("db", "backup", last, ...options);
      assert.equal(again.status, 1);
      assert.match(again.stderr, /expected an empty or new folder/);
      damageLargestFile(join(dataDir, "chain"));
      const refused = await runCli("db", "backup", join(folder, "damaged"), ...options);
      assert.equal(refused.status, 1);
      assert.match(refused.stderr, /is damaged: .*db repair/);

      // The readable blocks can be imported: all before the damage, and maybe some after it.
      const file = join(folder, "readable.txt");
      const readable = await runCli("export", file, "--damaged", ...options, "--from", "1", "--to", "20");
      assert.match(readable.stdout, /^damaged: \d+\.(log|ldb): .*\nexported \d+ blocks to /m);
      const count = readFileSync(file, "utf8").trim().split("\n").length;
      assert.ok(readable.stdout.includes(`exported ${count} blocks`), readable.stdout);
      assert.ok(!readdirSync(dataDir).some((name) => name.startsWith("chain.exporting")));
      const imported = await runCli(
        "import",
        file,
        "--network",
        "local",
        "--data-dir",
        join(folder, "imported"),
        "--json",
      );
      assert.ok(JSON.parse(imported.stdout).imported >= 1, imported.stdout);

      const restored = await runCli("db", "restore", last, ...options);
      assert.equal(restored.status, 0, restored.stderr);
      assert.ok(restored.stdout.includes(hashes.at(-1)!), restored.stdout);
      assert.ok(readdirSync(dataDir).some((name) => name.startsWith("chain.replaced-")));
      const resumed = await startNode(...options);
      try {
        const { hash } = await new RpcClient(resumed.url).call("eth_getBlockByNumber", "latest", false);
        assert.equal(hash, hashes.at(-1));
        await new RpcClient(resumed.url).call("evm_mine");
        // The node has the database open.
        const busy = await runCli("db", "restore", last, ...options);
        assert.equal(busy.status, 1);
        assert.match(busy.stderr, /another process has it open/);
      } finally {
        await resumed.stop();
      }
      const other = await runCli("db", "restore", last, "--network", "test", "--data-dir", join(folder, "test"));
      assert.equal(other.status, 1);
      assert.match(other.stderr, /belongs to another network/);
    });
  });
});
