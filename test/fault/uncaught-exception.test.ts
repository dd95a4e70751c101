import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runCli, startNode, withFolder } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";

const BLOCKS = 5;
/** Statements that fail in the main thread of a node when it receives a signal. */
const FAILURES = {
  "an exception": "throw new Error('induced failure')",
  "a rejection": "Promise.reject(new Error('induced failure'))",
};

describe("a node in which nothing catches", () => {
  const { NODE_OPTIONS } = process.env;

  afterEach(() => {
    if (NODE_OPTIONS === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = NODE_OPTIONS;
  });

  for (const [what, statement] of Object.entries(FAILURES)) {
    it(`${what}: logs it, stops with status 1, and leaves a sound database`, async () => {
      await withFolder(async (folder) => {
        const failing = join(folder, "failing.mjs");
        writeFileSync(
          failing,
          `import { isMainThread } from "node:worker_threads";
           if (isMainThread) process.on("SIGUSR2", () => { ${statement}; });`,
        );
        process.env.NODE_OPTIONS = `--import=${pathToFileURL(failing)}`;
        const options = ["--network", "local", "--data-dir", join(folder, "data")];
        const node = await startNode(...options);
        let log = "";
        node.process.stdout!.on("data", (chunk) => (log += chunk));
        const rpc = new RpcClient(node.url);
        for (let i = 0; i < BLOCKS; i++) await rpc.call("evm_mine");
        assert.equal(await node.stop("SIGUSR2"), 1);
        assert.match(log, /Uncaught exception, stopping/);
        assert.match(log, /induced failure/);
        const check = await runCli("db", "check", "--deep", ...options);
        assert.equal(check.status, 0, check.stdout + check.stderr);
        assert.match(check.stdout, new RegExp(`checked ${BLOCKS + 1} blocks`));
      });
    });
  }
});
