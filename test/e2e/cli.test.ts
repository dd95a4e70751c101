import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { openChain, SnapshotInstaller } from "@cambium/chain";
import { FACTS, TABLES } from "@cambium/chain-store";
import { local, main } from "@cambium/config";
import { databasePath, openLevelDatabase } from "@cambium/database";
import { emptyChain, Mine } from "@cambium/test-utils/mined-chains";
import { runCli, spawnCli, startNode, withFolder } from "@cambium/test-utils/node-cli";
import { hasTerminal, runOnTerminal } from "@cambium/test-utils/processes/terminal";
import { until } from "@cambium/test-utils/rpc-client";
import { vectorPath } from "@cambium/test-utils/vectors";

const COMMANDS = [
  ["dev"],
  ["start"],
  ["import"],
  ["bootstrap"],
  ["export"],
  ["db", "check"],
  ["db", "stats"],
  ["db", "repair"],
  ["db", "rewind"],
  ["db", "prune"],
  ["db", "backup"],
  ["db", "restore"],
  ["keys", "add"],
  ["keys", "list"],
  ["keys", "limit"],
  ["keys", "revoke"],
  ["keys", "usage"],
  ["bridge", "state"],
  ["bridge", "federation"],
  ["bridge", "pegouts"],
  ["genesis"],
  ["verify-headers"],
  ["conformance"],
  ["config", "dump"],
  ["config", "check"],
  ["completion"],
  ["miner"],
  ["what-if"],
];

/** Genesis facts of `spec/01 §6.4`. */
const GENESIS = [
  {
    network: "main",
    chainId: 30,
    hash: "0xf88529d4ab262c0f4d042e9d8d3f2472848eaafe1a9b7213f57617eb40a9f9e0",
    stateRoot: "0x9fa70f12726ac738640a86754741bb3f5680520ccc7e6ae9d95ace566a67fe01",
    rlpLength: 555,
  },
  {
    network: "test",
    chainId: 31,
    hash: "0xcabb7fbe88cd6d922042a32ffc08ce8b1fbb37d650b9d4e7dbfe2a7469adfa42",
    stateRoot: "0x45bce5168430c42b3d568331753f900a32457b4f3748697cbd8375ff4da72641",
    rlpLength: 478,
  },
  {
    network: "local",
    chainId: 33,
    hash: "0x8ea789fabef0dd4946ed53f001e7b6f8a8d0c22a612a6099fc7f93c990af68fe",
    stateRoot: "0x9c13f6bf26a9d1b13b708b5da083cb8f4e948bb7f903174081ad95810d52723f",
    rlpLength: 478,
  },
];

const FREE_PORTS = ["--http.port", "0", "--ws.port", "0"];

/** Asserts one clear line, a non-zero status and no stack trace. */
function assertRefused(result: { status: number | null; stderr: string }, message: RegExp): void {
  assert.notEqual(result.status, 0);
  assert.match(result.stderr, message);
  assert.doesNotMatch(result.stderr, /\n\s+at /);
  assert.ok(result.stderr.trim().split("\n").length <= 2, result.stderr);
}

/** Marks a database as written by an earlier release. */
async function makeSchema2(dataDir: string): Promise<void> {
  const database = await openLevelDatabase(databasePath(dataDir));
  await database.write([{ table: TABLES.facts, key: FACTS.schema, value: Uint8Array.of(2) }]);
  await database.close();
}

describe("node-cli", () => {
  for (const command of COMMANDS) {
    it(`${command.join(" ")} --help explains the command`, async () => {
      const result = await runCli(...command, "--help");
      assert.equal(result.status, 0);
      assert.match(result.stdout, /^Usage: node-cli/);
    });
  }

  it("reports unusable arguments in one line", async () => {
    assertRefused(await runCli("genesis", "--network", "local", "--wrong"), /unknown option '--wrong'/);
    assertRefused(await runCli("genesis", "--network", "nowhere"), /unknown network 'nowhere'/);
    assertRefused(await runCli("nonsense"), /unknown command 'nonsense'/);
    await withFolder(async (folder) => {
      const missing = join(folder, "missing.txt");
      assertRefused(await runCli("verify-headers", missing, "--network", "main"), /file not found/);
      assertRefused(await runCli("import", missing, "--network", "local", "--data-dir", folder), /file not found/);
      assertRefused(await runCli("conformance", missing), /file not found/);
      assertRefused(await runCli("db", "check", "--network", "local", "--data-dir", missing), /no database/);
      assertRefused(await runCli("bridge", "state", "--network", "local", "--data-dir", missing), /no database/);
      assertRefused(
        await runCli("start", "--network", "local", "--data-dir", folder, "--http.port", "70000"),
        /--http.port/,
      );
      assertRefused(
        await runCli("start", "--network", "local", "--data-dir", folder, "--state.history", "some"),
        /'some' for --state.history: expected a number of blocks, or all/,
      );
    });
  });

  for (const { rlpLength, ...expected } of GENESIS) {
    it(`genesis of ${expected.network}`, async () => {
      const result = await runCli("genesis", "--network", expected.network, "--json");
      const { rlp, ...rest } = JSON.parse(result.stdout);
      assert.deepEqual(rest, expected);
      assert.equal((rlp.length - 2) / 2, rlpLength);
    });
  }

  it("verify-headers accepts real headers and refuses altered ones", async () => {
    const file = vectorPath("merged-mining", "mainnet-headers-variety.json");
    const headers: string[] = JSON.parse(readFileSync(file, "utf8")).blocks.map(
      (block: { header: string }) => block.header,
    );
    const altered = headers.map((header) => header.replace(/.$/, (digit) => (digit === "0" ? "1" : "0")));
    await withFolder(async (folder) => {
      const good = join(folder, "good.txt");
      writeFileSync(good, headers.join("\n"));
      const accepted = await runCli("verify-headers", good, "--network", "main", "--json");
      assert.equal(accepted.status, 0, accepted.stderr);
      assert.equal(JSON.parse(accepted.stdout).valid, headers.length);
      const bad = join(folder, "bad.json");
      writeFileSync(bad, JSON.stringify([...altered, "0x00", "zz"]));
      const refused = await runCli("verify-headers", bad, "--network", "main", "--json");
      assert.equal(refused.status, 1);
      const report = JSON.parse(refused.stdout);
      assert.equal(report.valid, 0);
      assert.equal(report.invalid, headers.length + 2);
      assert.ok(report.results.every((result: { ok: boolean; reason?: string }) => !result.ok && result.reason));
    });
  });

  it("does not import over an unfinished snapshot", async () => {
    await withFolder(async (folder) => {
      const database = await openLevelDatabase(databasePath(folder), { create: true });
      const block = await new Mine(await emptyChain()).block();
      await (await SnapshotInstaller.open({ network: local, database })).begin(block, 10n);
      await database.close();
      const file = vectorPath("chains", "rewards.blocks.txt.gz");
      const refused = await runCli("import", file, "--network", "local", "--data-dir", folder);
      assertRefused(refused, /unfinished snapshot of block 1; complete it with "node-cli start/);
      const check = await runCli("db", "check", "--network", "local", "--data-dir", folder, "--json");
      assert.match(check.stdout, /"installing"/);
    });
  });

  it("compares a database with known blocks of its network", async () => {
    await withFolder(async (folder) => {
      const data = ["--network", "main", "--data-dir", folder];
      const database = await openLevelDatabase(databasePath(folder), { create: true });
      await (await openChain({ network: main, database })).close();
      const check = await runCli("db", "check", "--known", ...data);
      assert.equal(check.status, 0);
      assert.match(check.stdout, /^compared 1 known block, \d+ not stored: no differences\n$/);
      const json = JSON.parse((await runCli("db", "check", "--known", ...data, "--json")).stdout);
      assert.deepEqual({ ...json, skipped: 0 }, { compared: 1, skipped: 0, differences: [] });
      assert.notEqual((await runCli("db", "check", "--known", "--deep", ...data)).status, 0);
    });
  });

  it("imports, checks, exports and imports the export again", async () => {
    const blocks = vectorPath("chains", "transfers.blocks.txt");
    const { bestBlock } = JSON.parse(gunzipSync(readFileSync(vectorPath("chains", "transfers.json.gz"))).toString());
    await withFolder(async (folder) => {
      const data = ["--network", "local", "--data-dir", join(folder, "a")];
      const first = JSON.parse((await runCli("import", blocks, ...data, "--json")).stdout);
      assert.deepEqual(first.best, { ...bestBlock, totalDifficulty: String(bestBlock.totalDifficulty) });
      assert.equal(first.imported, 60);
      assert.deepEqual(first.rejected, []);
      const again = JSON.parse((await runCli("import", blocks, ...data, "--json")).stdout);
      assert.equal(again.known, 60);
      assert.deepEqual(again.best, first.best);
      const check = await runCli("db", "check", ...data, "--deep", "--json");
      assert.equal(check.status, 0, check.stdout);
      const { best, tables } = JSON.parse((await runCli("db", "stats", ...data, "--json")).stdout);
      assert.deepEqual(best, { number: 60, hash: first.best.hash });
      assert(tables.flatState > 0 && tables.trieNodes > 0 && tables.headers > 60 * 100);
      const shown = await runCli("db", "stats", ...data);
      assert.match(shown.stdout, /^best block 60\nall blocks are stored\n.*\ntable .*\n(.*\n)*total +\d+\.\d +\d+\n$/);
      const exported = join(folder, "export.txt");
      assert.equal((await runCli("export", ...data, "--from", "1", "--to", "60", exported)).status, 0);
      assert.equal(readFileSync(exported, "utf8").trim(), readFileSync(blocks, "utf8").trim());
      const other = ["--network", "local", "--data-dir", join(folder, "b")];
      const copy = JSON.parse((await runCli("import", exported, ...other, "--json")).stdout);
      assert.deepEqual(copy.best, first.best);
      assertRefused(await runCli("db", "check", "--network", "test", "--data-dir", join(folder, "a")), /network/i);
    });
  });

  it("rewinds a database, exports all that is left, and imports the rest again", async () => {
    const blocks = vectorPath("chains", "transfers.blocks.txt");
    await withFolder(async (folder) => {
      const data = ["--network", "local", "--data-dir", join(folder, "data")];
      const { best } = JSON.parse((await runCli("import", blocks, ...data, "--json")).stdout);
      assertRefused(await runCli("db", "rewind", ...data, "--to", "61"), /from 0 to 60, the best block/);
      const rewound = await runCli("db", "rewind", ...data, "--to", "40");
      assert.match(rewound.stdout, /^best block 40 0x/, rewound.stderr);
      assert.equal((await runCli("db", "check", ...data, "--deep")).status, 0);
      const exported = join(folder, "export.txt");
      assert.match((await runCli("export", ...data, exported)).stdout, /^exported 40 blocks/);
      const kept = readFileSync(blocks, "utf8").split("\n").slice(0, 40).join("\n");
      assert.equal(readFileSync(exported, "utf8").trim(), kept);
      const again = JSON.parse((await runCli("import", blocks, ...data, "--json")).stdout);
      assert.deepEqual([again.known, again.imported, again.best], [40, 20, best]);
    });
  });

  it("prunes the history of states, but not of an archive, and refuses databases of earlier releases", async () => {
    await withFolder(async (folder) => {
      const file = vectorPath("chains", "transfers.blocks.txt");
      const data = ["--network", "local", "--data-dir", join(folder, "flat")];
      assert.equal((await runCli("import", ...data, file)).status, 0);
      const { states } = JSON.parse((await runCli("db", "stats", ...data, "--json")).stdout);
      assert.deepEqual(states, { layout: "flat", oldestBlock: 0, oldestState: 0, trieBlock: 60 });
      const pruned = await runCli("db", "prune", ...data, "--state.history", "0", "--json");
      assert.equal(JSON.parse(pruned.stdout).oldestState, 0);
      const archive = ["--network", "local", "--data-dir", join(folder, "archive")];
      assert.equal((await runCli("import", ...archive, "--state.archive", file)).status, 0);
      assertRefused(await runCli("db", "prune", ...archive), /state of every block, .* another --data-dir/);
      await makeSchema2(join(folder, "flat"));
      assertRefused(await runCli("db", "stats", ...data), /schema version 2.*synchronise into another --data-dir/);
    });
  });

  it("reports a rejected line and continues with the next", async () => {
    const lines = readFileSync(vectorPath("chains", "transfers.blocks.txt"), "utf8").trim().split("\n").slice(0, 12);
    await withFolder(async (folder) => {
      const file = join(folder, "blocks.txt");
      writeFileSync(file, [...lines.slice(0, 6), "7,00,00,zz", "nonsense", ...lines.slice(6)].join("\n"));
      const result = await runCli("import", file, "--network", "local", "--data-dir", join(folder, "d"), "--json");
      const summary = JSON.parse(result.stdout);
      assert.equal(summary.imported, 12);
      assert.equal(summary.rejected.length, 2);
      const shown = await runCli("import", file, "--network", "local", "--data-dir", join(folder, "d"));
      const places = shown.stdout.split("\n").filter((line) => line.startsWith("rejected"));
      assert.equal(places[0], `rejected ${file}:7: BLOCK_FILE_LINE: the block hash has 1 bytes, expected 32`);
      assert.equal(places[1], `rejected ${file}:8: BLOCK_FILE_LINE: expected 4 fields, found 1`);
    });
  });

  it("shows a bar on a terminal, and nothing of short work when piped", async function () {
    if (!hasTerminal()) this.skip();
    await withFolder(async (folder) => {
      const data = ["--network", "local", "--data-dir", join(folder, "d")];
      const file = vectorPath("chains", "rewards.blocks.txt.gz");
      const imported = await runOnTerminal(["import", file, ...data]);
      assert.match(imported, /\[#{20,24}\] 100\.0 % {2}block \d+, .*\r\n\d+ imported/);
      assert.match(
        await runOnTerminal(["db", "check", ...data]),
        /\[#{20,24}\] 100\.0 % {2}\d+ blocks checked\r\nchecked/,
      );
      const exported = join(folder, "one.txt");
      const range = ["--from", "1", "--to", "1", exported];
      assert.match(await runOnTerminal(["export", ...data, ...range]), /% {2}block 1 of 1\r\nexported 1 block to /);
      assert.equal((await runCli("export", ...data, ...range)).stderr, "");
    });
  });

  it("start writes the address of JSON-RPC as in URLs", async function () {
    if (!networkInterfaces().lo?.some(({ address }) => address === "::1")) this.skip();
    await withFolder(async (folder) => {
      const child = spawnCli("start", "--network", "local", "--data-dir", folder, "--http.host", "::1", ...FREE_PORTS);
      let output = "";
      child.stdout!.on("data", (chunk) => (output += chunk));
      const ended = new Promise((resolve) => child.on("close", resolve));
      await until(async () => output.includes("Node started"));
      assert.match(output, /JSON-RPC at http:\/\/\[::1\]:\d+ and ws:\/\/\[::1\]:\d+;/);
      child.kill();
      await ended;
    });
  });

  it("start that is stopped before it serves says nothing of serving", async () => {
    await withFolder(async (folder) => {
      const child = spawnCli("start", "--network", "local", "--data-dir", folder, ...FREE_PORTS);
      let output = "";
      const ended = new Promise((resolve) => child.on("close", resolve));
      child.stdout!.on("data", (chunk) => {
        if (output === "") child.kill();
        output += chunk;
      });
      assert.equal(await ended, 0);
      const [, after] = output.split("Received SIGTERM");
      assert.match(after!, /Node stopped/);
      assert.doesNotMatch(after!, /listening|Node started|Development accounts/);
    });
  });

  it("start names the flag and the value of an unusable peer id", async () => {
    await withFolder(async (folder) => {
      const start = (...flags: string[]) => runCli("start", "--network", "local", "--data-dir", folder, ...flags);
      const trusted = await start("--p2p.port", "0", "--p2p.trusted", "nonsense");
      assert.equal(trusted.stderr, "node-cli: invalid --p2p.trusted: nonsense is not a peer id\n");
      const boot = await start("--p2p.port", "0", "--p2p.bootnodes", "/ip4/192.0.2.1/tcp/1/p2p/nonsense");
      assert.equal(boot.stderr, "node-cli: invalid --p2p.bootnodes: nonsense is not a peer id\n");
    });
  });

  it("start names a limit of open files that is too low", async function () {
    if (process.platform !== "linux") this.skip();
    await withFolder(async (folder) => {
      const command = `ulimit -n 64; "${process.execPath}" bin/node-cli start --network local --data-dir "${folder}"`;
      const { status, stderr } = spawnSync("sh", ["-c", command], { encoding: "utf8" });
      assert.equal(status, 1);
      assert.match(stderr, /^node-cli: only 64 open files are allowed, .*ulimit -n.*\n$/);
    });
  });

  it("start serves, and stops cleanly on SIGINT and SIGTERM", async () => {
    await withFolder(async (folder) => {
      for (const signal of ["SIGINT", "SIGTERM"] as const) {
        const node = await startNode("--network", "local", "--data-dir", folder);
        const answer = await fetch(node.url, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] }),
        });
        assert.deepEqual(await answer.json(), { jsonrpc: "2.0", id: 1, result: "0x21" });
        assert.equal(await node.stop(signal), 0);
      }
    });
  });
});
