import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { loadNetwork } from "@cambium/config";
import { runCli, spawnCli, withFolder } from "@cambium/test-utils/node-cli";
import { random } from "@cambium/test-utils/random";
import { SEED } from "@cambium/test-utils/seed";
import { vectorPath } from "@cambium/test-utils/vectors";
import { reachedBlock } from "./killing.js";

const NETWORK = new URL("../e2e/files/recorded-network.json", import.meta.url).pathname;
const KILLS = Math.max(20, Number(process.env.KILLS ?? 20));
const folder = vectorPath("published-state", "long");
const { best } = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8"));
const keys: { publicKey: string }[] = JSON.parse(readFileSync(vectorPath("published-state", "keys.json"), "utf8"));
/** Milliseconds between two pieces of the archive, so that some kills happen during its download. */
const PIECE_PAUSE = 20;
const PIECE = 100_000;

describe("kill -9 while published state is downloaded and installed", function () {
  this.timeout(60 * 60_000);

  it(`leaves an empty chain or all of it, ${KILLS} times, and ends with the next blocks`, async () => {
    const chance = random(SEED);
    const network = await loadNetwork(JSON.parse(readFileSync(NETWORK, "utf8")));
    const site = createServer(async ({ url, headers }, response) => {
      const content = readFileSync(join(folder, "site", url!));
      const start = Number(headers.range?.match(/^bytes=(\d+)-$/)?.[1] ?? 0);
      const range = { "content-range": `bytes ${start}-${content.length - 1}/${content.length}` };
      response.writeHead(start > 0 ? 206 : 200, start > 0 ? range : {});
      for (let at = start; at < content.length && !response.destroyed; at += PIECE) {
        response.write(content.subarray(at, at + PIECE));
        await new Promise((resolve) => setTimeout(resolve, PIECE_PAUSE));
      }
      response.end();
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
    await withFolder(async (data) => {
      const options = ["--network", NETWORK, "--data-dir", data];
      const source = ["--bootstrap.url", url, "--bootstrap.keys", keys.map(({ publicKey }) => publicKey).join(",")];
      let duration = 2_000;
      for (let kill = 0; kill < KILLS; ) {
        const started = Date.now();
        if (await killed(spawnCli("bootstrap", ...options, ...source), duration * chance())) kill++;
        else duration = Date.now() - started;
        const { hash, blocks } = await reachedBlock(data, network);
        if (blocks === 0) continue;
        assert.equal(hash, best.hash);
        rmSync(data, { recursive: true });
      }
      const { status, stderr } = await runCli("bootstrap", ...options, ...source);
      assert.equal(status, 0, stderr);
      const next = join(folder, "next.blocks.txt");
      const imported = await runCli("import", next, ...options, "--json");
      assert.equal(imported.status, 0, imported.stderr);
      assert.equal(
        (await reachedBlock(data, network)).blocks,
        best.number - 205 + JSON.parse(imported.stdout).imported,
      );
      assert.deepEqual(readdirSync(data), ["chain"]);
    });
    site.closeAllConnections();
    await new Promise((resolve) => site.close(resolve));
  });
});

/** Whether a process was killed before it ended. */
function killed(child: ReturnType<typeof spawnCli>, after: number): Promise<boolean> {
  let errors = "";
  child.stdout!.resume();
  child.stderr!.on("data", (text) => (errors += text));
  const timer = setTimeout(() => child.kill("SIGKILL"), after);
  return new Promise((resolve, reject) => {
    child.on("close", (status, signal) => {
      clearTimeout(timer);
      if (signal === "SIGKILL") resolve(true);
      else if (status === 0) resolve(false);
      else reject(new Error(`node-cli bootstrap ended with status ${status}: ${errors}`));
    });
  });
}
