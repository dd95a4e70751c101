import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { NETWORKS } from "@cambium/config";
import { DatabaseError, databasePath } from "@cambium/database";
import { importRecorded, runCli, spawnCli, withFolder } from "@cambium/test-utils/node-cli";
import { random } from "@cambium/test-utils/random";
import { SEED } from "@cambium/test-utils/seed";
import { vectorPath } from "@cambium/test-utils/vectors";
import { reachedBlock } from "./killing.js";

const network = NETWORKS.local;
const KILLS = Math.ceil(Number(process.env.KILLS ?? 5) / 2);

describe("kill -9 during a repair", function () {
  this.timeout(60 * 60_000);

  it(`neither loses nor replaces the database in ${KILLS} kills, and another repair succeeds`, async () => {
    await withFolder(async (folder) => {
      const options = ["--network", network.name, "--data-dir", folder];
      const file = join(vectorPath("chains"), "uncles-and-reorgs.blocks.txt.gz");
      await importRecorded(...options, file);
      const { hash } = await reachedBlock(folder, network);
      const chance = random(SEED);
      let duration = 2000;
      for (let kill = 0; kill < KILLS; kill++) {
        rmSync(join(databasePath(folder), "CURRENT"), { force: true });
        const started = Date.now();
        if (await killed(spawnCli("db", "repair", ...options), duration * chance())) {
          await refuses(folder, options);
        } else {
          duration = Date.now() - started;
        }
        const repaired = await runCli("db", "repair", ...options);
        assert.equal(repaired.status, 0, repaired.stderr);
        assert.equal((await reachedBlock(folder, network)).hash, hash);
      }
      const others = readdirSync(folder).filter((name) => !/^chain(\.replaced-.*)?$/.test(name));
      assert.deepEqual(others, []);
    });
  });
});

/** Whether a process was killed before it ended. */
function killed(child: ReturnType<typeof spawnCli>, after: number): Promise<boolean> {
  child.stdout!.resume();
  child.stderr!.resume();
  const timer = setTimeout(() => child.kill("SIGKILL"), after);
  return new Promise((resolve) => {
    child.on("close", (_, signal) => {
      clearTimeout(timer);
      resolve(signal === "SIGKILL");
    });
  });
}

/**
 * Checks that commands name the one that repairs, and create nothing. An exception is a repair that is complete except
 * for its last output.
 */
async function refuses(folder: string, options: readonly string[]): Promise<void> {
  const reached = await reachedBlock(folder, network).catch((error) => error);
  if (!(reached instanceof DatabaseError)) return;
  assert.equal(reached.code, "DATABASE_FILES");
  const { status, stderr } = await runCli("db", "check", ...options);
  assert.equal(status, 1);
  assert.ok(stderr.includes(`"node-cli db repair ${options.join(" ")}"`), stderr);
}
