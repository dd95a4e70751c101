import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkDatabase, openChain, openLevelDatabase } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { databasePath } from "@cambium/node";
import { toHex } from "@cambium/primitives";
import { runCli } from "../node-cli.js";
import { bestOf, nodeFolder, type PeerNode, startPeerNode } from "../peer-nodes.js";
import { sleep, until } from "../rpc-client.js";
import { vectorPath } from "../vectors.js";

const network = NETWORKS.local;
const KILLS = Number(process.env.CAMBIUM_SYNC_KILLS ?? 50);
/** A node that serves needs some moments until it has met its peer; blocks then come for some seconds. */
const LONGEST_RUN_MS = 2500;
const PARTS = [1, 2, 3].map((part) => `chains/long.blocks.${part}.txt.gz`);

/** Height that the killed process left behind, after a deep check. */
async function checkedHeight(dataDir: string): Promise<number> {
  const path = databasePath(dataDir);
  if (!existsSync(path)) return 0;
  const database = await openLevelDatabase(path);
  const chain = await openChain({ network, database });
  const { problems } = await checkDatabase(database, network, { deep: true });
  assert.deepEqual(problems, []);
  const { number } = chain.best().header;
  await chain.close();
  return number;
}

describe("kill -9 during synchronisation", function () {
  this.timeout(20 * 60_000);
  let folder: string;
  let server: PeerNode | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-sync-kill-"));
  });

  afterEach(async () => {
    await server?.node.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it(`leaves a sound database each of ${KILLS} times, and synchronisation goes on to the same best block`, async function () {
    const files = PARTS.map((part) => vectorPath(part));
    if (files.some((file) => file === undefined)) this.skip();
    const imported = await runCli(
      "import",
      "--network",
      "local",
      "--data-dir",
      nodeFolder(folder, 0),
      ...(files as string[]),
    );
    assert.equal(imported.status, 0, imported.stderr);
    server = await startPeerNode(nodeFolder(folder, 0), []);
    const target = await bestOf(server);
    const dataDir = nodeFolder(folder, 1);
    let midway = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const syncing = await startPeerNode(dataDir, [server.address]);
      await sleep(Math.random() * LONGEST_RUN_MS);
      await syncing.node.stop("SIGKILL");
      const height = await checkedHeight(dataDir);
      if (height > 0 && height < target.number) midway++;
      // from the start again, or there would be nothing left to interrupt
      if (height === target.number) rmSync(dataDir, { recursive: true });
    }
    const last = await startPeerNode(dataDir, [server.address]);
    await until(async () => (await bestOf(last)).hash === target.hash, 5 * 60_000);
    assert.equal(await last.node.stop(), 0);
    const database = await openLevelDatabase(databasePath(dataDir));
    const chain = await openChain({ network, database });
    assert.equal(`0x${toHex(chain.best().hash)}`, target.hash);
    await chain.close();
    if (KILLS >= 20) assert(midway > 0, "no kill hit the synchronisation under way");
  });
});
