import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkDatabase, databasePath, importFiles, MemoryDatabase, openChain, openLevelDatabase } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";

import { toHex } from "@cambium/primitives";
import { spawnCli } from "../node-cli.js";
import { vectorPath } from "../vectors.js";

const network = NETWORKS.local;
const KILLS = Number(process.env.CAMBIUM_KILLS ?? 100);
/** Start-up takes a part of it; the whole import takes longer, so that most kills hit blocks being written. */
const LONGEST_RUN_MS = 1200;

/** Chains that share a genesis block: importing one after the other reorganises deeply, over and over. */
const NAMES = ["uncles-and-reorgs", "contracts", "rewards", "transfers", "parallel"];

function chainFiles(): string[] {
  const folder = vectorPath("chains");
  if (folder === undefined) return [];
  const paths = NAMES.flatMap((name) => [join(folder, `${name}.blocks.txt`), join(folder, `${name}.blocks.txt.gz`)]);
  return paths.filter((path) => existsSync(path));
}

/** Best block of an import that nothing disturbs. */
async function expectedBest(files: readonly string[]): Promise<string> {
  const chain = await openChain({ network, database: new MemoryDatabase() });
  return toHex((await importFiles(chain, files)).best.hash);
}

/** Runs `node-cli import` and kills it after a while. True if it had ended by itself. */
function importAndKill(dataDir: string, files: readonly string[], afterMs: number): Promise<boolean> {
  const child = spawnCli("import", "--network", network.name, "--data-dir", dataDir, ...files);
  let errors = "";
  child.stdout!.resume();
  child.stderr!.on("data", (text) => (errors += text));
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  return new Promise((resolve, reject) => {
    child.on("close", (status, signal) => {
      clearTimeout(timer);
      if (signal === "SIGKILL") resolve(false);
      else if (status === 0) resolve(true);
      else reject(new Error(`import ended with status ${status}: ${errors}`));
    });
  });
}

/** Deep check of what the killed process left behind; the best block's number, or 0 where there is nothing yet. */
async function checkedBest(dataDir: string): Promise<{ number: number; hash: string }> {
  const path = databasePath(dataDir);
  if (!existsSync(path)) return { number: 0, hash: "" };
  const database = await openLevelDatabase(path);
  const chain = await openChain({ network, database });
  const { problems } = await checkDatabase(database, network, { deep: true });
  assert.deepEqual(problems, []);
  const { header, hash } = chain.best();
  await chain.close();
  return { number: header.number, hash: toHex(hash) };
}

describe("kill -9 during an import", function () {
  this.timeout(20 * 60_000);
  let dataDir: string;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "cambium-kill-"));
  });

  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it(`leaves a sound database each of ${KILLS} times, and the import continues to the same best block`, async function () {
    const files = chainFiles();
    if (files.length < NAMES.length) this.skip();
    const best = await expectedBest(files);
    let midway = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const complete = await importAndKill(dataDir, files, Math.random() * LONGEST_RUN_MS);
      const reached = await checkedBest(dataDir);
      if (reached.number > 0 && reached.hash !== best) midway++;
      if (complete) assert.equal(reached.hash, best);
      // From the start again, or there would be nothing left to interrupt.
      if (complete || reached.hash === best) rmSync(dataDir, { recursive: true });
    }
    await importAndKill(dataDir, files, 10 * 60_000);
    assert.equal((await checkedBest(dataDir)).hash, best);
    if (KILLS >= 20) assert(midway > 0, "no kill hit the import under way");
  });
});
