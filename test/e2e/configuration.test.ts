import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { runCli, startNode, startProgram, withFolder } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";

const REPOSITORY = resolve(import.meta.dirname, "../..");

/** Runs `use` with variables in the environment of the commands that it starts. */
async function withVariables(variables: Record<string, string>, use: () => Promise<void>): Promise<void> {
  Object.assign(process.env, variables);
  try {
    await use();
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
  }
}

describe("the configuration of a node", () => {
  it("is converted from a file of the deployed client", async () => {
    await withFolder(async (folder) => {
      const rsk = join(folder, "rsk.conf");
      const file = join(folder, "node.toml");
      writeFileSync(
        rsk,
        "blockchain.config.name = regtest\nrpc.providers.web.http.port = 0\ncache.states.max-elements = 1\n",
      );
      const { status, stdout } = await runCli("config", "from-rskj", rsk);
      assert.equal(status, 0);
      assert.match(stdout, /^# - cache\.states\.max-elements \(line 3\)|^# - cache \(line 3\)/m);
      writeFileSync(file, stdout);
      assert.match((await runCli("config", "check", file)).stdout, /: 4 settings, no problems\n$/);
      const node = await startNode("--config", file, "--data-dir", join(folder, "data"));
      assert.deepEqual(
        await new RpcClient(node.url).call("rpc_modules").then((modules) => "rsk" in (modules as object)),
        true,
      );
      assert.equal(await node.stop(), 0);
      writeFileSync(rsk, 'a = 1\ninclude "b"\n');
      const refused = await runCli("config", "from-rskj", rsk);
      assert.equal(refused.status, 1);
      assert.match(refused.stderr, /rsk\.conf:2: include is not read/);
    });
  });

  it("comes from a file, which variables and flags override, and which other commands read too", async () => {
    await withFolder(async (folder) => {
      const file = join(folder, "node.toml");
      const dataDir = join(folder, "data");
      const settings = `network = "local"\ndata-dir = "${dataDir}"\n[rpc]\nclient-version = "file"\n[mine]\nenabled = true\n`;
      writeFileSync(file, settings);
      assert.deepEqual(await runCli("config", "check", file), {
        status: 0,
        signal: null,
        stdout: `${file}: 4 settings, no problems\n`,
        stderr: "",
      });
      const versionWith = async (...flags: string[]) => {
        const node = await startNode("--config", file, ...flags);
        const rpc = new RpcClient(node.url);
        const version = await rpc.call("web3_clientVersion");
        assert.equal(await rpc.call("eth_mining"), true);
        assert.equal(await node.stop(), 0);
        return version;
      };
      assert.equal(await versionWith(), "file");
      await withVariables({ CAMBIUM_RPC_CLIENT_VERSION: "variable" }, async () => {
        assert.equal(await versionWith(), "variable");
        assert.equal(await versionWith("--rpc.client-version", "flag"), "flag");
        const { stdout } = await runCli("config", "dump", "--config", file, "--http.port", "1");
        assert.match(stdout, /^network = "local" # node\.toml, line 1$/m);
        assert.match(stdout, /^client-version = "variable" # CAMBIUM_RPC_CLIENT_VERSION$/m);
        assert.match(stdout, /^port = 1 # flag$/m);
        const dump = join(folder, "dump.toml");
        writeFileSync(dump, stdout);
        assert.equal((await runCli("config", "check", dump)).status, 0);
      });
      const stats = await runCli("db", "stats", "--config", file);
      assert.match(stats.stdout, /^best block 0\n/, stats.stderr);
    });
  });

  it("names the line of what is wrong, and what was meant", async () => {
    await withFolder(async (folder) => {
      const file = join(folder, "node.toml");
      writeFileSync(file, 'network = "main"\n[http]\nprot = 1\n[p2p]\nport = "x"\n');
      const problems = [
        `${file}:3: unknown key http.prot; did you mean http.port?`,
        `${file}:5: p2p.port: expected an integer, found a string`,
      ];
      for (const command of [
        ["config", "check", file],
        ["start", "--config", file],
      ]) {
        const { status, stderr } = await runCli(...command);
        assert.deepEqual([status, stderr], [1, `node-cli: ${problems.join("\n")}\n`]);
      }
      writeFileSync(file, 'network = "local"\n\nhttp.port = 70000\n');
      const checked = await runCli("config", "check", file);
      assert.match(checked.stderr, /node\.toml:3: invalid value '70000' for --http\.port/);
      writeFileSync(file, 'network = "local"\n[p2p]\ntrusted = ["someone"]\n');
      const untrusted = await runCli("config", "check", file);
      assert.match(untrusted.stderr, /node\.toml:3: invalid --p2p\.trusted: someone is not a peer id\n$/);
      writeFileSync(file, 'network = "local"\np2p.banned = ["10.0.0.0/99"]\n');
      assert.match((await runCli("config", "check", file)).stderr, /node\.toml:2: invalid --p2p\.banned: .*mask\n$/);
      writeFileSync(file, 'network = "local"\n\nhttp.port = 70000\n');
      const started = await runCli("start", "--config", file);
      assert.match(started.stderr, /invalid value '70000' for --http\.port: .* \(from node\.toml, line 3\)\n$/);
      await withVariables({ CAMBIUM_HTTP_PORT: "x" }, async () => {
        const { stderr } = await runCli("start", "--config", file);
        assert.match(stderr, /'x' for --http\.port: .* \(from CAMBIUM_HTTP_PORT\)\n$/);
      });
      assert.match((await runCli("start")).stderr, /required option '--network/);
    });
  });
});

/** Unpacks into `target` the files that npm would publish of a workspace. */
function install(workspace: string, target: string, folder: string): void {
  const pack = ["pack", "--ignore-scripts", "--json", "--workspace", workspace, "--pack-destination", folder];
  const packed = spawnSync("npm", pack, { cwd: REPOSITORY, encoding: "utf8" });
  assert.equal(packed.status, 0, packed.stderr);
  mkdirSync(target, { recursive: true });
  const archive = join(folder, JSON.parse(packed.stdout)[0].filename);
  assert.equal(spawnSync("tar", ["-xzf", archive, "--strip-components=1", "-C", target]).status, 0);
}

describe("the packed command line", () => {
  it("runs without the repository, with the packages that its bundle needs", async () => {
    await withFolder(async (folder) => {
      const installed = join(folder, "node_modules", "@cambium", "cli");
      install("@cambium/cli", installed, folder);
      // Installs like `npm install -g`.
      install("@cambium/dashboard", join(installed, "node_modules", "@cambium", "dashboard"), folder);
      const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
      for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
        if (name.startsWith("@cambium/")) continue;
        const link = join(folder, "node_modules", name);
        mkdirSync(dirname(link), { recursive: true });
        symlinkSync(join(REPOSITORY, "node_modules", name), link);
      }
      const program = join(installed, manifest.bin["node-cli"]);
      const run = (...args: string[]) =>
        spawnSync(process.execPath, [program, ...args], { cwd: folder, encoding: "utf8" });
      assert.equal(run("--version").stdout, `${manifest.version}\n`);
      const blocks = join(REPOSITORY, "test/vectors/chains/transfers.blocks.txt");
      const imported = run("import", blocks, "--network", "local", "--data-dir", join(folder, "data"), "--json");
      assert.equal(JSON.parse(imported.stdout).imported, 60, imported.stderr);
      const node = await startProgram(program, "--network", "local", "--data-dir", join(folder, "data"));
      try {
        const page = await fetch(`${node.url}/dashboard/`);
        assert.equal(page.status, 200);
      } finally {
        await node.stop();
      }
    });
  });
});
