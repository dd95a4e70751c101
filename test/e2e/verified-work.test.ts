import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCli } from "@cambium/test-utils/node-cli";
import { nodeFolder, type PeerNode, startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import { random } from "@cambium/test-utils/random";
import { RpcClient, sleep, until } from "@cambium/test-utils/rpc-client";
import { SEED } from "@cambium/test-utils/seed";
import { vectorPath } from "@cambium/test-utils/vectors";
import { mineOrigin } from "./snapshot-origin.js";

/** Number of blocks, above the 4,000 that are published. */
const BLOCKS = 4_700;
const EARLIEST = BLOCKS - 4_000 + 1;
const KILLS = 3;
const chance = random(SEED);
const keys: { publicKey: string; privateKey: string }[] = JSON.parse(
  readFileSync(vectorPath("published-state", "keys.json"), "utf8"),
);

describe("a node that starts from published state", () => {
  let folder: string;
  let origin: PeerNode;
  let site: Server;
  let url: string;
  let started: PeerNode | undefined;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-work-"));
    await mineOrigin(nodeFolder(folder, 0), BLOCKS, 0);
    for (const { privateKey } of keys) {
      writeFileSync(join(folder, "key"), `${privateKey}\n`);
      const source = ["--network", "local", "--data-dir", nodeFolder(folder, 0)];
      const flags = [join(folder, "site"), ...source, "--key-file", join(folder, "key")];
      const { status, stderr } = await runCli("bootstrap", "export", ...flags);
      assert.equal(status, 0, stderr);
    }
    site = createServer(({ url: path }, response) => response.end(readFileSync(join(folder, "site", path!))));
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
    const wires = ["--p2p.wires", "libp2p,rlpx", "--p2p.rlpx-port", "0"];
    origin = await startPeerNode(nodeFolder(folder, 0), [], "--mine", ...wires);
  });

  afterEach(async () => {
    await started?.node.stop("SIGKILL");
    started = undefined;
  });

  after(async () => {
    await origin?.node.stop();
    site?.closeAllConnections();
    site?.close();
    rmSync(folder, { recursive: true });
  });

  async function start(index: number, ...flags: string[]): Promise<PeerNode> {
    const published = [
      "--bootstrap",
      "--bootstrap.url",
      url,
      "--bootstrap.keys",
      keys.map((key) => key.publicKey).join(","),
    ];
    const monitored = ["--metrics.port", "0", "--rpc.modules", "debug"];
    started = await startPeerNode(nodeFolder(folder, index), [], ...published, ...monitored, ...flags);
    return started;
  }

  it("verifies the work of all headers below, and continues after SIGKILL", async () => {
    const flags = ["--p2p.bootnodes", origin.address];
    let lowest = EARLIEST;
    for (let kill = 0; kill < KILLS; kill++) {
      const { node } = await start(1, ...flags);
      const { trust } = await readiness(node.greeting);
      const since = sinceOf(trust);
      assert(since <= lowest, `${trust}, before: ${lowest}`);
      await sleep(chance() * 2_000);
      lowest = sinceOf((await readiness(node.greeting)).trust);
      await node.stop("SIGKILL");
    }
    const { node } = await start(1, ...flags);
    await until(async () => (await readiness(node.greeting)).trust === "work since genesis");
    assert.equal((await new RpcClient(node.url).call("debug_nodeStatus")).trust, "work since genesis");
    const metrics = await (await fetch(`${monitorOf(node.greeting)}/metrics`)).text();
    assert.match(metrics, /^cambium_work_verified_since_block 0$/m);
    assert.match(metrics, /^cambium_trust\{basis="work"\} 1$/m);
  });

  it("does so over the wire of the deployed network, and names its oldest block", async () => {
    const enode = origin.node.greeting.match(/enode:\/\/\w+@127\.0\.0\.1:\d+/)![0];
    const { node, rpc } = await start(2, "--p2p.wires", "libp2p,rlpx", "--p2p.rlpx-port", "0", "--p2p.nodes", enode);
    await until(async () => (await readiness(node.greeting)).trust === "work since genesis");
    assert.equal(
      (await rpc.call("eth_getBlockByNumber", `0x${EARLIEST.toString(16)}`, false)).number,
      `0x${EARLIEST.toString(16)}`,
    );
    await assert.rejects(rpc.call("eth_getBlockByNumber", "0x5", false), {
      message: new RegExp(`oldest block of this node is ${EARLIEST}$`),
    });
  });

  it("downloads the blocks below with --history blocks", async () => {
    const { rpc } = await start(1, "--p2p.bootnodes", origin.address, "--history", "blocks");
    const same = async (method: string, ...params: unknown[]) => {
      const [mine, theirs] = await Promise.all([rpc, origin.rpc].map((one) => one.call(method, ...params)));
      assert.deepEqual(mine, theirs);
    };
    await until(async () => rpc.call("eth_getBlockByNumber", "0x1", false).then(Boolean, () => false));
    for (const number of [1, 300, EARLIEST - 1]) await same("eth_getBlockByNumber", `0x${number.toString(16)}`, true);
  });
});

function monitorOf(greeting: string): string {
  const [, port] = greeting.match(/"port":(\d+),"msg":"Metrics/)!;
  return `http://127.0.0.1:${port}`;
}

async function readiness(greeting: string): Promise<{ trust: string }> {
  return (await fetch(`${monitorOf(greeting)}/ready`)).json() as Promise<{ trust: string }>;
}

/** Returns the lowest block whose work is verified. */
function sinceOf(trust: string): number {
  return trust === "work since genesis" ? 0 : Number(/^signers and work since (\d+)$/.exec(trust)![1]);
}
