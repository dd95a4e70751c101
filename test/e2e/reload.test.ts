import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { WsClient } from "@cambium/test-utils/clients/ws-client";
import { spawnCli, startNode, withFolder } from "@cambium/test-utils/node-cli";
import { nodeFolder, startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import { RpcClient, until } from "@cambium/test-utils/rpc-client";

/**
 * Runs `use` with a configuration file, and a function that writes it, after the network, the data folder and the
 * modules.
 */
async function withConfiguration(
  use: (file: string, write: (settings: string) => void, folder: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const file = join(folder, "node.toml");
    const first = `network = "local"\ndata-dir = "${join(folder, "data")}"\nrpc.modules = "admin"\n`;
    await use(file, (settings) => writeFileSync(file, first + settings), folder);
  });
}

describe("a running node reads its configuration again", () => {
  it("and applies what can change, in all threads that serve JSON-RPC, and names what cannot", async () => {
    await withConfiguration(async (file, write, folder) => {
      const keys = join(folder, "keys");
      const settings = `rpc.keys = "${keys}"\nrpc.readers = 1\n`;
      writeFileSync(keys, "first\n");
      write(settings);
      const node = await startNode("--config", file, "--metrics.port", "0");
      let log = "";
      node.process.stdout!.on("data", (chunk) => (log += chunk));
      try {
        const [first, second] = ["first", "second"].map((key) => new RpcClient(`${node.url}/${key}`));
        assert.deepEqual(await first!.call("admin_reloadConfig"), { applied: [], needRestart: [] });
        const connections = [node.wsUrl!, node.url.replace("http", "ws")];
        const [own, shared] = await Promise.all(connections.map((url) => WsClient.open(`${url}/first`)));
        const failing = (rpc: RpcClient) => assert.rejects(rpc.call("eth_getBlockByNumber", "none", true));
        await failing(first!);

        writeFileSync(keys, "second\n");
        write(`${settings}http.port = 1\nlog.level = "warn,rpc=debug"\nhealth.max-lag = 3\nminer.min-gas-price = 1\n`);
        // --http.port is a flag, which overrides the file.
        assert.deepEqual(await first!.call("admin_reloadConfig"), {
          applied: ["rpc.keys", "miner.min-gas-price", "log.level", "health.max-lag"],
          needRestart: [],
        });
        await until(async () => !own!.isOpen && !shared!.isOpen);
        await assert.rejects(first!.call("eth_chainId"), /API key/);
        assert.ok(!log.includes("JSON-RPC call failed"));
        await failing(second!);
        await until(async () => log.includes("JSON-RPC call failed"));
        assert.equal(await second!.call("admin_setLogLevel", "warn"), true);
        await second!.call("evm_mine");
        assert.equal((await second!.call("eth_getBlockByNumber", "latest", false)).minimumGasPrice, "0x1");

        write(`${settings}rpc.limit = 1\n[p2p]\nenabled = true\n`);
        const { applied, needRestart } = await second!.call("admin_reloadConfig");
        assert.deepEqual(applied, ["rpc.limit", "miner.min-gas-price", "log.level", "health.max-lag"]);
        assert.deepEqual(needRestart, ["p2p.enabled"]);
        // One of three successive requests always exceeds the limit of its second.
        const calls = () => Promise.allSettled([1, 2, 3].map(() => second!.call("eth_chainId")));
        await until(async () => (await calls()).some(({ status }) => status === "rejected"));
      } finally {
        await node.stop();
      }
    });
  });

  it("and refuses one with a mistake, with its line, and changes nothing; SIGHUP does the same", async () => {
    await withConfiguration(async (file, write) => {
      write("");
      const node = await startNode("--config", file);
      let log = "";
      node.process.stdout!.on("data", (chunk) => (log += chunk));
      try {
        const rpc = new RpcClient(node.url);
        const refused = (message: RegExp) => assert.rejects(rpc.call("admin_reloadConfig"), { code: -32016, message });
        write('log.level = "debug"\nrpc.limit = "x"\n');
        await refused(/node\.toml:5: rpc\.limit: expected an integer/);
        write('log.level = "loud"\n');
        await refused(/'loud' for --log\.level: .* \(from node\.toml, line 4\)$/);
        await assert.rejects(rpc.call("eth_getBlockByNumber", "none", true));
        assert.ok(!log.includes('"level":20'));

        rmSync(file);
        await refused(/file not found/);
        execFileSync("mkfifo", [file]);
        await refused(/it is not a regular file/);
        rmSync(file);
        write('log.level = "loud"\n');

        log = "";
        node.process.kill("SIGHUP");
        await until(async () => log.includes("Configuration refused, nothing is changed"));
        write("rpc.limit = 1000\n[http]\nhosts = ['node.example']\n");
        node.process.kill("SIGHUP");
        await until(async () => log.includes("again: applied rpc.limit; start the node again for http.hosts"));
        node.process.kill("SIGHUP");
        await until(async () => log.includes("again: start the node again for http.hosts"));

        // Any number of changes may come; the file of the last one counts.
        for (let limit = 1_001; limit <= 1_200; limit++) {
          write(`rpc.limit = ${limit}\n`);
          node.process.kill("SIGHUP");
        }
        const last = Promise.all([rpc.call("admin_reloadConfig"), rpc.call("admin_reloadConfig")]);
        for (const { needRestart } of await last) assert.deepEqual(needRestart, []);
        assert.deepEqual(await rpc.call("admin_reloadConfig"), { applied: [], needRestart: [] });
      } finally {
        const stopped = node.stop();
        for (let i = 0; i < 10; i++) node.process.kill("SIGHUP");
        assert.equal(await stopped, 0);
      }
    });
  });

  it("and is not ended by a SIGHUP that comes while it starts", async () => {
    await withConfiguration(async (file, write) => {
      write("http.port = 0\nws.enabled = false\n");
      const node = spawnCli("start", "--config", file);
      const ended = once(node, "close");
      let log = "";
      node.stdout!.on("data", (chunk) => {
        if (log === "") node.kill("SIGHUP");
        log += chunk;
      });
      await Promise.race([until(async () => log.includes("Node started")), ended]);
      assert.match(log, /nothing is changed: the node is starting|Configuration read again/);
      node.kill("SIGTERM");
      assert.deepEqual(await ended, [0, null]);
    });
  });

  it("and connects to nodes that are new in it, and trusts peers", async () => {
    await withConfiguration(async (file, write, folder) => {
      const wires = ["--p2p.wires", "rlpx", "--p2p.rlpx-port", "0"];
      const other = await startPeerNode(nodeFolder(folder, 0), [], "--p2p.wires", "libp2p,rlpx", ...wires.slice(2));
      write("");
      const own = await startNode("--config", file, ...wires);
      try {
        const rpc = new RpcClient(own.url);
        const enode = other.node.greeting.match(/enode:\/\/\w+@127\.0\.0\.1:\d+/)![0];
        const id = other.address.split("/").at(-1)!;
        write('p2p.bootnodes = ["/ip4/192.0.2.1"]\np2p.banned = ["192.0.2.2"]\n');
        await assert.rejects(rpc.call("admin_reloadConfig"), { code: -32016, message: /--p2p\.bootnodes/ });
        write('p2p.trusted = ["nobody"]\n');
        await assert.rejects(rpc.call("admin_reloadConfig"), { code: -32016, message: /trusted/ });
        write(`p2p.trusted = ["${id}"]\np2p.nodes = ["${enode}"]\n`);
        assert.deepEqual((await rpc.call("admin_reloadConfig")).applied, ["p2p.nodes", "p2p.trusted"]);
        await until(async () => (await rpc.call("admin_peers")).length === 1);
        const [peer] = await rpc.call("admin_peers");
        assert.deepEqual([peer.id, peer.trusted], [id, true]);
      } finally {
        await own.stop();
        await other.node.stop();
      }
    });
  });
});
