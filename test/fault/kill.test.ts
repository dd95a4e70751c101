import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importFiles, openChain } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { toData } from "@cambium/primitives";
import { importRecorded } from "@cambium/test-utils/node-cli";
import { vectorPath } from "@cambium/test-utils/vectors";
import { killOften, reachedBlock } from "./killing.js";

const network = NETWORKS.local;
const KILLS = Number(process.env.KILLS ?? 5);

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
  let dataDir: string;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "cambium-kill-"));
  });

  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it(`leaves an intact database after each of ${KILLS} kills, and the import continues to the same best block`, async () => {
    const files = chainFiles();
    const best = await expectedBest(files);
    const command = ["--network", network.name, "--data-dir", dataDir, ...files];
    await killOften(KILLS, { command: ["import", ...command], statuses: [0, 1], dataDir, network, best });
    await importRecorded(...command);
    assert.equal((await reachedBlock(dataDir, network)).hash, best);
  });
});
