import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCli } from "@cambium/test-utils/node-cli";
import { bestOf, nodeFolder, type PeerNode, startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import { until } from "@cambium/test-utils/rpc-client";
import { longChainFiles } from "@cambium/test-utils/vectors";

describe("a fresh node", () => {
  let folder: string;
  const nodes: PeerNode[] = [];

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-sync-"));
  });

  after(async () => {
    await Promise.all(nodes.map(({ node }) => node.stop(node.process.killed ? "SIGKILL" : "SIGTERM")));
    rmSync(folder, { recursive: true });
  });

  it("downloads a long chain from three peers, of which one disconnects and one stalls", async function () {
    const files = longChainFiles() ?? this.skip();
    const imported = await runCli("import", "--network", "local", "--data-dir", nodeFolder(folder, 0), ...files);
    assert.equal(imported.status, 0, imported.stderr);
    for (const index of [1, 2]) cpSync(nodeFolder(folder, 0), nodeFolder(folder, index), { recursive: true });
    for (const index of [0, 1, 2]) nodes.push(await startPeerNode(nodeFolder(folder, index), []));
    const [honest, vanishing, stalling] = nodes as [PeerNode, PeerNode, PeerNode];
    const target = await bestOf(honest);

    const boot = nodes.map(({ address }) => address);
    const fresh = await startPeerNode(nodeFolder(folder, 3), boot, "--metrics.port", "0");
    nodes.push(fresh);
    const reaches = (height: number) => until(async () => (await bestOf(fresh)).number >= height, 5 * 60_000);
    await reaches(target.number / 10);
    vanishing.node.process.kill("SIGKILL");
    await reaches(target.number / 5);
    stalling.node.process.kill("SIGSTOP");
    const progress = await fresh.rpc.call("eth_syncing");
    assert.equal(Number(progress.highestBlock), target.number);
    await reaches(target.number);
    stalling.node.process.kill("SIGCONT");

    assert.deepEqual(await bestOf(fresh), target);
    await until(async () => (await fresh.rpc.call("eth_syncing")) === false);
    const metrics = await (await fetch(metricsUrl(fresh.node.greeting))).text();
    assert.match(metrics, new RegExp(`^cambium_best_block_number ${target.number}$`, "m"));
    assert.match(metrics, /^cambium_sync_phase\{phase="following"\} 1$/m);
  });
});

function metricsUrl(greeting: string): string {
  const [, port] = greeting.match(/"port":(\d+),"msg":"Metrics/)!;
  return `http://127.0.0.1:${port}/metrics`;
}
