import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCli, spawnCli } from "@cambium/test-utils/node-cli";
import { bestOf, nodeFolder, type PeerNode, startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import { random } from "@cambium/test-utils/random";
import { sleep, until } from "@cambium/test-utils/rpc-client";
import { SEED } from "@cambium/test-utils/seed";
import { mineOrigin } from "./snapshot-origin.js";

/** Blocks that are kept at least. */
const KEPT = 10_000;
const BLOCKS = KEPT + 1_000;
/** The oldest block of a running node is a multiple of 256. */
const OLDEST = 768;
const KILLS = 3;
const WIRES = ["--p2p.wires", "libp2p,rlpx", "--p2p.rlpx-port", "0"];
const chance = random(SEED);

describe("a node that keeps only the latest blocks", () => {
  let folder: string;
  const running: PeerNode[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-dropped-"));
    await mineOrigin(nodeFolder(folder, 0), BLOCKS, 0);
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map(({ node }) => node.stop()));
  });

  after(() => rmSync(folder, { recursive: true }));

  function copy(index: number): string {
    cpSync(nodeFolder(folder, 0), nodeFolder(folder, index), { recursive: true });
    return nodeFolder(folder, index);
  }

  async function start(index: number, bootNodes: readonly string[], ...flags: string[]): Promise<PeerNode> {
    const started = await startPeerNode(nodeFolder(folder, index), bootNodes, ...WIRES, ...flags);
    running.push(started);
    return started;
  }

  const data = (index: number) => ["--network", "local", "--data-dir", nodeFolder(folder, index)];

  async function assertSound(index: number): Promise<void> {
    const { status, stdout } = await runCli("db", "check", ...data(index));
    assert.equal(status, 0, stdout);
  }

  it("serves these, names the oldest one, and lets peers synchronise from it that have the others", async () => {
    copy(1);
    const keeping = await start(1, [], "--history.blocks", String(KEPT), "--metrics.port", "0");
    const blockAt = (number: number) => keeping.rpc.call("eth_getBlockByNumber", `0x${number.toString(16)}`, false);
    const message = new RegExp(`oldest block of this node is ${OLDEST}$`);
    const logs = () => keeping.rpc.call("eth_getLogs", { fromBlock: "0x1", toBlock: "latest" });
    await until(async () =>
      logs().then(
        () => false,
        (error: Error) => message.test(error.message),
      ),
    );
    await assert.rejects(blockAt(1), { message });
    await assert.rejects(blockAt(OLDEST - 1), { message });
    assert.equal(Number((await blockAt(OLDEST)).number), OLDEST);
    const [, port] = keeping.node.greeting.match(/"port":(\d+),"msg":"Metrics/)!;
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    assert.match(metrics, new RegExp(`^cambium_oldest_block ${OLDEST}$`, "m"));
    assert.equal(Number((await blockAt(0)).number), 0);

    copy(2);
    const { status, stderr } = await runCli("db", "rewind", ...data(2), "--to", String(BLOCKS - 600));
    assert.equal(status, 0, stderr);
    const behind = await start(2, [keeping.address]);
    await until(async () => (await bestOf(behind)).number === BLOCKS);
    // An empty one gets the older blocks from another peer.
    const enode = keeping.node.greeting.match(/enode:\/\/\w+@127\.0\.0\.1:\d+/)![0];
    const empty = await start(3, [keeping.address, behind.address], "--p2p.nodes", enode);
    const number = OLDEST + 256;
    await until(async () => (await bestOf(empty)).number > number);
    const { hash } = await empty.rpc.call("eth_getBlockByNumber", `0x${number.toString(16)}`, false);
    assert.equal(hash, (await blockAt(number)).hash);
  });

  it("is sound after SIGKILL at any moment, and continues", async () => {
    copy(4);
    for (let kill = 0; kill < KILLS; kill++) {
      const { node } = await start(4, [], "--history.blocks", String(KEPT));
      await sleep(chance() * 1_500);
      await node.stop("SIGKILL");
      running.pop();
      await assertSound(4);
    }
  });

  it("is what db prune makes, which can be killed too", async () => {
    copy(5);
    const prune = ["db", "prune", ...data(5), "--history.blocks", String(KEPT), "--json"];
    for (let kill = 0; kill < KILLS; kill++) {
      const child = spawnCli(...prune);
      const ended = new Promise((resolve) => child.on("close", resolve));
      await sleep(chance() * 1_500);
      child.kill("SIGKILL");
      await ended;
      await assertSound(5);
    }
    const { stdout, stderr } = await runCli(...prune);
    assert.equal(JSON.parse(stdout).oldestBlock, BLOCKS - KEPT, stderr);
    await assertSound(5);
    const { states } = JSON.parse((await runCli("db", "stats", ...data(5), "--json")).stdout);
    assert.equal(states.oldestBlock, BLOCKS - KEPT);
    const exported = await runCli("export", ...data(5), join(folder, "blocks.txt"));
    assert.match(exported.stdout, new RegExp(`^exported ${KEPT + 1} blocks`));
  });
});
