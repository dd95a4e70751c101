import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { NODE_CLI, withFolder } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";

/** Usual soft and hard limit of a shell in a container. */
const LIMIT = 1_024;
/** Number of connections of each kind; together they exceed the limit. */
const EACH = 700;

/** Connections that never send anything. */
async function openSilently(port: number): Promise<Socket[]> {
  const sockets = Array.from({ length: EACH }, () => connect(port, "127.0.0.1"));
  for (const socket of sockets) socket.on("error", () => undefined);
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, "connect"), once(socket, "close")])));
  return sockets;
}

describe("a node that may open few files", () => {
  it("accepts fewer connections, says so, and answers honest clients while others hold all of them", async function () {
    if (process.platform !== "linux") this.skip();
    await withFolder(async (folder) => {
      const flags = ["--network", "local", "--data-dir", folder, "--http.port", "0", "--ws.port", "0"];
      const command = [process.execPath, NODE_CLI, "start", ...flags];
      const node = spawn("bash", ["-c", `ulimit -n ${LIMIT}; exec "$@"`, "bash", ...command]);
      const ended = once(node, "close");
      let output = "";
      const started = new Promise<RegExpMatchArray>((resolve, reject) => {
        node.stdout.on("data", (chunk) => {
          output += chunk;
          const ports = output.match(/JSON-RPC at http:\/\/127\.0\.0\.1:(\d+) and ws:\/\/127\.0\.0\.1:(\d+)/);
          if (ports !== null) resolve(ports);
        });
        ended.then(() => reject(new Error(`the node ended before it served: ${output}`)));
      });
      const [, http, ws] = (await started).map(Number) as [number, number, number];
      assert.match(output, /Only 1024 open files are allowed, .*: HTTP \d+ and WebSocket \d+ connections/);
      const sockets = (await Promise.all([openSilently(http), openSilently(ws)])).flat();
      const client = new RpcClient(`http://127.0.0.1:${http}`);
      for (const block of ["0x1", "0x2"]) {
        await client.call("evm_mine");
        assert.equal(await client.call("eth_blockNumber"), block);
      }
      for (const socket of sockets) socket.destroy();
      node.kill("SIGTERM");
      assert.deepEqual(await ended, [0, null]);
    });
  });
});
