import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { NETWORKS } from "@cambium/config";
import { type CommandResult, importRecorded, withFolder } from "@cambium/test-utils/node-cli";
import { RpcClient, until } from "@cambium/test-utils/rpc-client";
import { vectorPath } from "@cambium/test-utils/vectors";
import { reachedBlock } from "./killing.js";

const network = NETWORKS.local;
const NODE_CLI = fileURLToPath(new URL("../../bin/node-cli", import.meta.url));
/** Maximum size of a file: the write that reaches it is incomplete, like the last one before a disk is full. */
const KILOBYTES = 200;

/** Runs a command that cannot write large files. */
function runLimited(...args: string[]): Promise<CommandResult> {
  const limit = `ulimit -f ${KILOBYTES}; exec "$@"`;
  const child = spawn("bash", ["-c", limit, "bash", process.execPath, NODE_CLI, ...args]);
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (output.stdout += chunk));
  child.stderr.on("data", (chunk) => (output.stderr += chunk));
  return new Promise((resolve) => child.on("close", (status, signal) => resolve({ status, signal, ...output })));
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe("a disk that accepts no more", () => {
  it("ends an import with status 1 and the reason, and the import continues when there is room", async () => {
    await withFolder(async (folder) => {
      const file = join(vectorPath("chains"), "uncles-and-reorgs.blocks.txt.gz");
      const command = ["--network", network.name, "--data-dir", folder, file];
      const failed = await runLimited("import", ...command);
      assert.equal(failed.status, 1, failed.stderr);
      assert.match(
        failed.stderr,
        /^node-cli: cannot write the database: .*File too large; check the disk and its free space, .*$/m,
      );
      const { blocks } = await reachedBlock(folder, network);
      assert.ok(blocks > 0);
      await importRecorded(...command);
      assert.ok((await reachedBlock(folder, network)).blocks > blocks);
    });
  });

  it("ends a command whose output cannot be written, in silence if its reader has left", async () => {
    const run = (output: string) => {
      const command = [process.execPath, NODE_CLI, "genesis", "--network", "main"];
      const child = spawn("bash", ["-c", `"$@" ${output}; exit \${PIPESTATUS[0]}`, "bash", ...command]);
      let stderr = "";
      child.stderr.on("data", (chunk) => (stderr += chunk));
      return new Promise((resolve) => child.on("close", (status) => resolve([status, stderr])));
    };
    const reason = "node-cli: cannot write the output: ENOSPC: no space left on device, write\n";
    assert.deepEqual(await run("> /dev/full"), [1, reason]);
    assert.deepEqual(await run("| true"), [0, ""]);
  });

  it("does not stop a node by its log", async () => {
    await withFolder(async (folder) => {
      const port = String(await freePort());
      const options = ["--network", network.name, "--data-dir", folder, "--http.port", port, "--ws.port", "0"];
      const command = [process.execPath, NODE_CLI, "start", ...options];
      const node = spawn("bash", ["-c", 'exec "$@" > /dev/full', "bash", ...command], { stdio: "ignore" });
      const ended = new Promise((resolve) => node.on("close", resolve));
      const rpc = new RpcClient(`http://127.0.0.1:${port}`);
      const isMined = () =>
        rpc.call("evm_mine").then(
          () => true,
          () => false,
        );
      await until(isMined);
      node.kill("SIGTERM");
      assert.equal(await ended, 0);
      assert.ok((await reachedBlock(folder, network)).blocks > 0);
    });
  });

  it("loses no block that a local node has answered, and ends its answers", async () => {
    await withFolder(async (folder) => {
      const port = await freePort();
      const options = ["--network", network.name, "--data-dir", folder, "--http.port", `${port}`, "--no-ws"];
      const ended = runLimited("start", ...options);
      const rpc = new RpcClient(`http://127.0.0.1:${port}`, false);
      const number = async () => Number(await rpc.call("eth_blockNumber"));
      await until(async () => (await number().catch(() => -1)) === 0);
      let accepted = 0;
      for (;;) {
        const isMined = await rpc.call("evm_mine").then(
          () => true,
          () => false,
        );
        if (!isMined) break;
        accepted++;
      }
      for (const method of ["eth_blockNumber", "evm_mine", "eth_chainId"]) {
        // The error of the node, or no connection.
        await assert.rejects(rpc.call(method), /is stopping|fetch failed/);
      }
      const { status, stdout } = await ended;
      assert.equal(status, 1, stdout);
      assert.ok(accepted > 0);
      assert.equal((await reachedBlock(folder, network)).blocks, accepted);
    });
  });

  it("stops a node in order with status 1, and the node starts again when there is room", async () => {
    await withFolder(async (folder) => {
      const options = ["--network", network.name, "--data-dir", folder, "--http.port", "0", "--ws.port", "0"];
      const failed = await runLimited("start", ...options, "--mine.interval", "1");
      assert.equal(failed.status, 1, failed.stderr);
      assert.match(failed.stdout, /File too large.*the node must stop/);
      assert.match(failed.stdout, /Node stopped/);
      assert.ok((await reachedBlock(folder, network)).blocks > 0);
    });
  });
});
