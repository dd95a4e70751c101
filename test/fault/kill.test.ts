import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openChain } from "@cambium/chain";
import { exportFile, importFiles } from "@cambium/chain-maintenance";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { toData } from "@cambium/primitives";
import { randomStorages } from "@cambium/test-utils/chains/destroyed-storages";
import { importRecorded } from "@cambium/test-utils/node-cli";
import { SEED } from "@cambium/test-utils/seed";
import { vectorPath } from "@cambium/test-utils/vectors";
import { killOften, reachedBlock } from "./killing.js";

const network = NETWORKS.local;
const KILLS = Number(process.env.KILLS ?? 5);
const BLOCKS = 200;

/** Chains with a common genesis block: importing one after the other causes deep reorganisations. */
const NAMES = ["uncles-and-reorgs", "contracts", "rewards", "transfers", "parallel"];

function chainFiles(): string[] {
  const plain = NAMES.map((name) => join(vectorPath("chains"), `${name}.blocks.txt`));
  return plain.map((path) => (existsSync(path) ? path : `${path}.gz`));
}

/** Best block after an uninterrupted import. */
async function expectedBest(files: readonly string[]): Promise<string> {
  const chain = await openChain({ network, database: new MemoryDatabase() });
  return toData((await importFiles(chain, files)).best.hash);
}

describe("kill -9 during an import", function () {
  this.timeout(60 * 60_000);
  let folder: string;
  let dataDir: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-kill-"));
    dataDir = join(folder, "data");
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it(`leaves an intact database after each of ${KILLS} kills, and the import continues to the same best block`, async () => {
    const files = chainFiles();
    // The last chain is the longest one. Large storages are destroyed and created again in it, with short
    // reorganisations.
    const storages = join(folder, "storages.blocks.txt.gz");
    await exportFile(await randomStorages(BLOCKS, SEED), storages);
    files.push(storages);
    const best = await expectedBest(files);
    const command = ["--network", network.name, "--data-dir", dataDir, ...files];
    await killOften(KILLS, { command: ["import", ...command], statuses: [0, 1], dataDir, network, best });
    await importRecorded(...command);
    assert.equal((await reachedBlock(dataDir, network)).hash, best);
  });
});
