import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { runCli, startNode, withFolder } from "@cambium/test-utils/node-cli";
import type { Json } from "@cambium/test-utils/rpc-client";
import { vectorPath } from "@cambium/test-utils/vectors";
import { RECORDED_NETWORK } from "./companion.js";

/** Runs a server that answers like a parent-chain node; `undefined` is an unknown block. */
async function withParent(
  unspents: Json[],
  confirmations: number | undefined,
  use: (url: string, asked: Json[]) => Promise<void>,
): Promise<void> {
  const asked: Json[] = [];
  const answers: Record<string, Json> = {
    getbestblockhash: { result: "ab".repeat(32) },
    scantxoutset: { result: { success: true, height: 12, unspents } },
    getblockheader:
      confirmations === undefined ? { error: { code: -5, message: "Block not found" } } : { result: { confirmations } },
  };
  const server: Server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const isKnown = request.headers.authorization === `Basic ${btoa("user:secret")}`;
    const { method, params } = JSON.parse(text);
    asked.push({ method, params });
    response.writeHead(isKnown ? 200 : 401).end(isKnown ? JSON.stringify(answers[method]) : "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use(`http://user:secret@127.0.0.1:${(server.address() as AddressInfo).port}`, asked);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function withChain(use: (data: readonly string[], folder: string) => Promise<void>): Promise<void> {
  return withFolder(async (folder) => {
    const data = ["--network", RECORDED_NETWORK, "--data-dir", folder];
    const blocks = vectorPath("chains", "bridge-basic.blocks.txt.gz");
    assert.equal((await runCli("import", blocks, ...data)).status, 0);
    await use(data, folder);
  });
}

describe("node-cli bridge audit and watch, without a parent-chain node", () => {
  it("agrees with a node that has what the bridge counts, from a data directory and from a running node", () =>
    withChain((data, folder) =>
      withParent([], 3, async (parent, asked) => {
        const stored = await runCli("bridge", "audit", ...data, "--parent", parent, "--json");
        assert.equal(stored.status, 0, stored.stderr + stored.stdout);
        const report = JSON.parse(stored.stdout);
        assert.deepEqual([report.differences, report.difference, report.coins], [[], "0", []]);
        assert.ok(BigInt(report.queued) > 0n);
        assert.deepEqual(report.parentChain.standing, "best chain");
        assert.deepEqual(asked[1], { method: "getblockheader", params: [report.parentChain.hash] });
        assert.match(asked[0].params[1][0], /^raw\(a914[0-9a-f]{40}87\)$/);
        const config = join(folder, "rpc.json");
        writeFileSync(config, JSON.stringify({ modules: { chain: { disabledMethods: [] } } }));
        const node = await startNode(...data, "--rpc.config", config);
        try {
          const args = ["--network", RECORDED_NETWORK, "--rpc", node.url];
          const live = await runCli("bridge", "audit", ...args, "--parent", parent, "--json");
          assert.equal(live.status, 0, live.stderr);
          assert.deepEqual(JSON.parse(live.stdout), report);
          const state = await runCli("bridge", "state", ...args, "--block", "0");
          assert.match(state.stdout, /^after block 0 /);
          assert.match(state.stdout, /queued peg-outs +0\n/);
          const watch = ["bridge", "watch", ...args, "--count", "1"];
          const json = JSON.parse((await runCli(...watch, "--parent", parent, "--json")).stdout);
          assert.deepEqual(json.block, report.block);
          assert.deepEqual([json.pegIns, json.differences, json.parentChain.nodeHeight], [[], [], 12]);
          assert.ok(json.pegOuts.every(({ stage }: Json) => stage === "queued"));
          const shown = await runCli(...watch);
          assert.equal(shown.status, 0, shown.stderr);
          assert.match(shown.stdout, /^active federation +2\w+, 2 of 3$/m);
          assert.match(shown.stdout, /^ {2}queued: \d+\.\d{8} BTC to [mn]\w+$/m);
          assert.doesNotMatch(shown.stdout, /peg-ins|undefined|NaN|\[object/);
        } finally {
          await node.stop();
        }
      }),
    ));

  it("lists differences and ends with status 1", () =>
    withChain((data) =>
      withParent([], undefined, async (parent) => {
        const known = ["bridge", "audit", ...data, "--parent", parent];
        const { status, stdout } = await runCli(...known, "--carried", "25");
        assert.equal(status, 1);
        assert.match(stdout, /^2 differences$/m);
        assert.match(stdout, /^ {2}the node does not have the bridge's best block [0-9a-f]{64}$/m);
        assert.match(stdout, /^ {2}25 wei more are locked than there are coins on this chain$/m);
        assert.doesNotMatch(stdout, /undefined|NaN|\[object/);
      }),
    ));

  it("reports deposits that the bridge does not count", () =>
    withChain(async (data) => {
      const { stdout } = await runCli("bridge", "federation", ...data, "--json");
      assert.ok(JSON.parse(stdout).active.address);
      const deposit = { txid: "ab".repeat(32), vout: 1, amount: 0.12345678, scriptPubKey: "51", height: 4 };
      await withParent([deposit], 1, async (parent) => {
        const audited = await runCli("bridge", "audit", ...data, "--parent", parent);
        assert.equal(audited.status, 0, audited.stderr);
        assert.match(audited.stdout, /unregistered deposit +(ab){32}:1 0\.12345678 BTC at height 4\n/);
      });
    }));

  it("explains what is wrong with its options and with the node", () =>
    withChain((data) =>
      withParent([], 1, async (parent) => {
        const failure = async (...args: string[]) => {
          const { status, stderr } = await runCli("bridge", "audit", ...args);
          assert.equal(status, 1);
          return stderr;
        };
        const wrong = parent.replace("secret", "guess");
        assert.match(await failure(...data, "--parent", wrong), /refuses the user name or password in --parent/);
        assert.match(await failure(...data, "--parent", "nonsense"), /--parent: expected http:\/\/user:password@host/);
        assert.match(await failure(...data, "--parent", parent, "--block", "99999"), /--block: expected at most \d+/);
        assert.match(await failure(...data, "--parent", parent, "--carried", "x"), /expected a whole number of wei/);
        assert.match(await failure(...data, "--parent", "http://127.0.0.1:1"), /ECONNREFUSED|failed|bad port/);
        const both = await failure(...data, "--rpc", parent, "--parent", parent);
        assert.match(both, /--rpc.*cannot be used with.*--data-dir/);
      }),
    ));
});
