import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type RunningNode, runCli, startNode, withFolder } from "@cambium/test-utils/node-cli";
import { startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import { hasTerminal, runOnTerminal } from "@cambium/test-utils/processes/terminal";
import { RpcClient, until } from "@cambium/test-utils/rpc-client";

interface Line {
  level: number;
  package?: string;
  msg: string;
  [field: string]: unknown;
}

/** The lines of a node's log from its start on, as they arrive. */
function linesOf(node: RunningNode): Line[] {
  const lines: Line[] = [];
  let text = node.greeting;
  const read = (chunk: Buffer | "") => {
    const parts = (text + chunk).split("\n");
    text = parts.pop()!;
    lines.push(...parts.map((part) => JSON.parse(part) as Line));
  };
  read("");
  node.process.stdout!.on("data", read);
  return lines;
}

const TEXT_LINE =
  /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z (DEBUG|INFO |WARN |ERROR) (node|chain|sync|p2p|txpool|miner|rpc) +\S/;

describe("the log", () => {
  it("tells of start, transactions, blocks, submitted work and the end, as JSON when piped", async () => {
    await withFolder(async (folder) => {
      const node = await startNode("--network", "local", "--data-dir", folder, "--mine");
      const lines = linesOf(node);
      const rpc = new RpcClient(node.url);
      const [from] = await rpc.call("eth_accounts");
      const hash = await rpc.call("eth_sendTransaction", { from, to: from, value: "0x1" });
      assert.equal((await runCli("miner", "--rpc", node.url)).status, 0);
      assert.equal(await node.stop(), 0);
      const find = (msg: string) => lines.find((line) => line.msg.startsWith(msg));
      assert.equal(find("Starting Cambium/")!.dataDir, folder);
      assert.match(find("Node started")!.msg, /network local \(chain id 33\).*stop it with Ctrl\+C or SIGTERM$/);
      assert.deepEqual(find("Transaction received")!.hash, hash);
      const block = find("New best block")!;
      assert.deepEqual([block.package, block.number, block.transactions], ["chain", 1, 2]);
      const work = find("Submitted work was accepted")!;
      assert.deepEqual([work.package, work.number, work.result], ["miner", 2, "imported-best"]);
      assert.equal(lines.at(-1)!.msg, "Node stopped");
      assert(lines.every(({ msg }) => msg !== ""));
    });
  });

  it("tells of peers with the reason for which they leave, of the end of a synchronisation, and of reorganisations", async () => {
    await withFolder(async (folder) => {
      const first = await startPeerNode(join(folder, "a"), []);
      const ofFirst = linesOf(first.node);
      for (let i = 0; i < 12; i++) await first.rpc.call("evm_mine");
      const second = await startPeerNode(join(folder, "b"), [first.address]);
      const ofSecond = linesOf(second.node);
      const has = (lines: Line[], msg: string) => until(async () => lines.some((line) => line.msg.startsWith(msg)));
      await has(ofFirst, "Peer connected");
      await has(ofSecond, "Synchronised: block 12, after 12 blocks");
      const snapshot = await first.rpc.call("evm_snapshot");
      for (let i = 0; i < 2; i++) await first.rpc.call("evm_mine");
      await first.rpc.call("evm_revert", snapshot);
      await has(ofFirst, "Reorganisation");
      assert.equal(ofFirst.find(({ msg }) => msg.startsWith("Reorganisation"))!.depth, 2);
      await second.node.stop();
      await has(ofFirst, "Peer lost");
      const lost = ofFirst.find(({ msg }) => msg === "Peer lost")!;
      // The connection may end before the goodbye is read.
      assert.match(String(lost.reason), /^(disconnected by the peer: the node stops|connection lost)$/);
      assert.deepEqual([lost.package, lost.peers], ["p2p", 0]);
      const left = ofSecond.find(({ msg }) => msg === "Peer lost")!;
      assert.equal(left.reason, "disconnected by this node: the node stops");
      await first.node.stop();
    });
  });

  it("has a level for each package, and text on request, also in a bounded file", async () => {
    await withFolder(async (folder) => {
      const file = join(folder, "logs", "node.log");
      const flags = ["--log.format", "text", "--log.level", "warn,node=info,rpc=debug", "--log.file", file];
      const node = await startNode("--network", "local", "--data-dir", folder, ...flags);
      const rpc = new RpcClient(node.url);
      await assert.rejects(rpc.call("eth_getBlockByNumber", "nonsense", false));
      await rpc.call("evm_mine");
      await node.stop();
      const lines = readFileSync(file, "utf8").trim().split("\n");
      for (const line of lines) assert.match(line, TEXT_LINE);
      assert(lines.some((line) => /DEBUG rpc +JSON-RPC call failed method=eth_getBlockByNumber/.test(line)));
      assert(!lines.some((line) => line.includes("New best block")));
      assert.deepEqual(readdirSync(join(folder, "logs")), ["node.log"]);
      assert(statSync(file).size > 0);
    });
  });

  it("refuses levels and files that it cannot use in one line", async () => {
    await withFolder(async (folder) => {
      const start = (...flags: string[]) => runCli("start", "--network", "local", "--data-dir", folder, ...flags);
      const level = await start("--log.level", "info,peers=debug");
      assert.match(level.stderr, /^node-cli: invalid value .* for --log\.level: expected .*p2p.* found 'peers'\n$/);
      const file = await start("--log.file", folder);
      assert.match(file.stderr, /^node-cli: cannot write the log file .*; choose another one with --log\.file\n$/);
    });
  });

  it("is coloured text on a terminal, where Ctrl+C ends the node", async function () {
    if (!hasTerminal()) this.skip();
    await withFolder(async (folder) => {
      const args = ["start", "--network", "local", "--data-dir", folder, "--http.port", "0", "--ws.port", "0"];
      const output = await runOnTerminal(args, "stop it with Ctrl+C");
      assert(output.includes("\u001b[32mINFO \u001b[39m \u001b[36mnode  \u001b[39m Starting Cambium"), output);
      assert.match(output, /Node stopped\r\n$/);
    });
  });

  it("says what is missing on a public network without peers, and for a local node without blocks", async () => {
    await withFolder(async (folder) => {
      const idle = await startNode("--network", "local", "--data-dir", join(folder, "local"));
      const idleLines = linesOf(idle);
      await until(async () => idleLines.some(({ msg }) => /No block is mined.*--mine /.test(msg)));
      await idle.stop();
      const flags = ["--p2p.host", "127.0.0.1", "--p2p.port", "0", "--p2p.rlpx-port", "0", "--p2p.static"];
      const main = await startNode("--network", "main", "--data-dir", join(folder, "main"), ...flags);
      const lines = linesOf(main);
      await until(async () => lines.some(({ msg, level }) => level === 40 && /^No peers.*--p2p\.bootnodes/.test(msg)));
      await main.stop();
    });
  });
});
