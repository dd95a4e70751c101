import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { runCli, startNode, withFolder } from "@cambium/test-utils/node-cli";
import { vectorPath } from "@cambium/test-utils/vectors";
import { startDev } from "./dev-process.js";

const LOCAL = ["--network", "local"];

/** Permissions of a file or folder. */
function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

/** Returns files and folders in a folder, and the folder itself, if they grant rights to others than their owner. */
function openToOthers(folder: string): string[] {
  const paths = [
    folder,
    ...readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  ];
  return paths.filter((path) => (modeOf(path) & 0o077) !== 0);
}

async function importInto(dataDir: string): Promise<void> {
  const imported = await runCli(
    "import",
    vectorPath("chains", "transfers.blocks.txt"),
    ...LOCAL,
    "--data-dir",
    dataDir,
  );
  assert.equal(imported.status, 0, imported.stderr);
}

/** Checks the permissions of files that commands write, where the umask lets others read. */
describe("files of a node", () => {
  let umask: number;
  before(function () {
    // Windows lacks such modes.
    if (process.platform === "win32") this.skip();
    umask = process.umask(0o022);
  });
  after(() => void process.umask(umask));

  it("are for their owner only in a folder that commands have created", async () => {
    await withFolder(async (folder) => {
      const parent = join(folder, "new");
      const data = join(parent, "data");
      await importInto(data);
      const log = join(folder, "node.log");
      const node = await startNode(
        ...LOCAL,
        "--data-dir",
        data,
        "--log.file",
        log,
        "--p2p.port",
        "0",
        "--p2p.wires",
        "libp2p",
      );
      await node.stop();
      assert((await runCli("db", "check", ...LOCAL, "--data-dir", data)).status === 0);
      const backup = join(folder, "backup");
      assert.equal((await runCli("db", "backup", backup, ...LOCAL, "--data-dir", data)).status, 0);
      const file = join(folder, "blocks.txt");
      assert.equal((await runCli("export", file, ...LOCAL, "--data-dir", data)).status, 0);
      assert.deepEqual(openToOthers(parent), []);
      assert.equal(modeOf(backup), 0o700);
      // Files that the operator has named may be readable by others.
      assert.equal(modeOf(log), 0o640);
      assert.equal(modeOf(file), 0o644);
    });
  });

  it("of a chain for development too, with the URL of the endpoint that it forks", async () => {
    await withFolder(async (folder) => {
      const source = await startNode(...LOCAL, "--data-dir", join(folder, "source"), "--mine");
      const [data, cache, state] = ["data", "cache", "state"].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ];
      // The data folder is absent in one case: the umask then lets others read files without an explicit mode.
      for (const options of [[], ["--data-dir", data]]) {
        const fork = await startDev("--fork", source.url, "--fork.cache", cache, ...options);
        assert.equal(await fork.stop(), 0);
      }
      const kept = await startDev("--data-dir", join(folder, "kept"), "--state", state);
      assert.equal(await kept.stop(), 0);
      await source.stop();
      for (const one of [data, cache, join(folder, "kept")]) assert.deepEqual(openToOthers(one), []);
      assert.equal(modeOf(state), 0o644);
    });
  });

  it("follow the umask in a folder that its operator has opened to others", async () => {
    await withFolder(async (folder) => {
      const data = join(folder, "data");
      mkdirSync(data);
      chmodSync(data, 0o750);
      await importInto(data);
      assert.equal(modeOf(data), 0o750);
      assert.equal(modeOf(join(data, "chain", "CURRENT")), 0o644);
    });
  });
});
