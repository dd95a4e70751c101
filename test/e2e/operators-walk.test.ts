import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { damageLargestFile } from "@cambium/test-utils/chains/damaged-database";
import { metricsAddress, scrape } from "@cambium/test-utils/clients/scraped-metrics";
import { runCli, startNode, withFolder } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";

const BLOCKS = 60;
/** Position within the first 32 KiB of the database's log, and after the first blocks: each takes some 2 KB. */
const DAMAGED_BYTE = 20_000;

describe("a new operator", function () {
  this.timeout(180_000);

  it("configures, observes and backs up a node, loses a part of its disk, and has the node again", async () => {
    await withFolder(async (folder) => {
      const config = join(folder, "node.toml");
      const settings = ["--config", config];
      writeFileSync(config, `network = "local"\ndata-dir = "${join(folder, "data")}"\n[metrics]\nport = 0\n`);
      assert.equal((await runCli("config", "check", config)).status, 0);

      const node = await startNode(...settings);
      const rpc = new RpcClient(node.url);
      await rpc.call("evm_mine");
      await setTimeout(500); // The first block is then written apart from the others.
      for (let i = 1; i < BLOCKS; i++) await rpc.call("evm_mine");
      const mined = await blocks(rpc);
      const address = metricsAddress(node.greeting);
      for (const path of ["health", "ready"]) assert.equal((await fetch(new URL(path, address))).status, 200, path);
      assert.equal((await scrape(node.greeting)).get("cambium_best_block_number"), BLOCKS);
      const backup = join(folder, "backup");
      assert.match((await runCli("db", "backup", backup, ...settings)).stdout, new RegExp(`best block ${BLOCKS} `));
      await node.stop("SIGKILL");

      damageLargestFile(join(folder, "data/chain"), DAMAGED_BYTE);
      const refused = await runCli("start", "--http.port", "0", "--ws.port", "0", ...settings);
      assert.equal(refused.status, 1);
      const [, command] = /repair it with "node-cli ([^"]+)"/.exec(refused.stderr) ?? [];
      const repaired = await runCli(...command!.split(" "));
      assert.equal(repaired.status, 0, repaired.stdout + repaired.stderr);
      await resumes(settings, (hashes) => hashes.length > 1 && mined.join().startsWith(hashes.join()));

      const restored = await runCli("db", "restore", backup, ...settings);
      assert.equal(restored.status, 0, restored.stdout + restored.stderr);
      await resumes(settings, (hashes) => hashes.join() === mined.join());
      assert.equal((await runCli("db", "check", "--deep", ...settings)).status, 0);
    });
  });
});

/** Hashes of all blocks, from genesis. */
async function blocks(rpc: RpcClient): Promise<string[]> {
  const best = Number(await rpc.call("eth_blockNumber"));
  const asked = Array.from({ length: best + 1 }, (_, i) =>
    rpc.call("eth_getBlockByNumber", `0x${i.toString(16)}`, false),
  );
  return (await Promise.all(asked)).map(({ hash }) => hash);
}

/** Starts a node, whose chain must satisfy `isExpected`, and which continues mining. */
async function resumes(settings: readonly string[], isExpected: (hashes: string[]) => boolean): Promise<void> {
  const node = await startNode(...settings);
  try {
    const rpc = new RpcClient(node.url);
    const found = await blocks(rpc);
    assert.ok(isExpected(found), found.join());
    await rpc.call("evm_mine");
    assert.equal(Number(await rpc.call("eth_blockNumber")), found.length);
  } finally {
    await node.stop();
  }
}
