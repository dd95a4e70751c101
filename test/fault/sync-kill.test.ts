import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NETWORKS } from "@cambium/config";
import { runCli } from "@cambium/test-utils/node-cli";
import { bestOf, nodeFolder, type PeerNode, startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import { until } from "@cambium/test-utils/rpc-client";
import { outsideVectorPath } from "@cambium/test-utils/vectors";
import { killOften, reachedBlock } from "./killing.js";

const network = NETWORKS.local;
/** Number of kills: half of that during an import, because each takes longer. */
const KILLS = Math.floor(Number(process.env.KILLS ?? 5) / 2);
/** Chain that is long enough for a skeleton, but short enough for a deep check after each kill. */
const CHAIN = "chains/long.blocks.1.txt.gz";

describe("kill -9 during synchronisation", function () {
  this.timeout(60 * 60_000);
  let folder: string;
  const nodes: PeerNode[] = [];

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-sync-kill-"));
  });

  after(async () => {
    await Promise.all(nodes.map(({ node }) => node.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(dataDir: string, bootNodes: readonly string[]): Promise<PeerNode> {
    const node = await startPeerNode(dataDir, bootNodes);
    nodes.push(node);
    return node;
  }

  it(`leaves an intact database after each of ${KILLS} kills, and synchronisation continues to the same best block`, async function () {
    const file = outsideVectorPath(CHAIN);
    if (file === undefined) this.skip();
    const [servingDir, dataDir] = [nodeFolder(folder, 0), nodeFolder(folder, 1)];
    const imported = await runCli("import", "--network", network.name, "--data-dir", servingDir, file);
    assert.equal(imported.status, 0, imported.stderr);
    const server = await start(servingDir, []);
    const best = await bestOf(server);
    const peering = ["--p2p", "--p2p.port", "0", "--p2p.static", "--p2p.bootnodes", server.address];
    const flags = ["--network", network.name, "--data-dir", dataDir, "--http.port", "0", "--ws.port", "0", ...peering];
    await killOften(KILLS, { command: ["start", ...flags], dataDir, network, best: best.hash });
    const last = await start(dataDir, [server.address]);
    await until(async () => (await bestOf(last)).hash === best.hash, 5 * 60_000);
    assert.equal(await last.node.stop(), 0);
    assert.equal((await reachedBlock(dataDir, network)).hash, best.hash);
  });
});
