import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkDatabase } from "@cambium/chain-maintenance";
import { NETWORKS } from "@cambium/config";
import { databasePath, openLevelDatabase } from "@cambium/database";
import { spawnCli } from "@cambium/test-utils/node-cli";
import { bestOf, nodeFolder, type PeerNode, startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import { random } from "@cambium/test-utils/random";
import { type RpcClient, until } from "@cambium/test-utils/rpc-client";
import { SEED } from "@cambium/test-utils/seed";
import { mineOrigin } from "./snapshot-origin.js";

const BLOCKS = 6_900;
const CHECKPOINT = 6_890;
/** Lowest block in the snapshot; those below are the history. */
const LOWEST = CHECKPOINT - 6_000;
const chance = random(SEED);
const KILLS = 3;

describe("a node that starts from a snapshot", () => {
  let folder: string;
  let origin: PeerNode;
  let checkpoint: string;
  const running = new Set<ChildProcess>();

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-snapshot-"));
    await mineOrigin(nodeFolder(folder, 0), BLOCKS);
    origin = await startPeerNode(nodeFolder(folder, 0), [], "--mine");
    running.add(origin.node.process);
    const { hash } = await block(origin.rpc, CHECKPOINT);
    checkpoint = `${CHECKPOINT}:${hash}`;
  });

  after(async () => {
    await Promise.all([...running].map((child) => end(child, "SIGKILL")));
    rmSync(folder, { recursive: true });
  });

  function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
    running.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    child.kill(signal);
    return ended;
  }

  function syncFlags(dataDir: string, trusted: string): string[] {
    const peers = ["--p2p", "--p2p.port", "0", "--p2p.static", "--p2p.bootnodes", origin.address];
    const servers = ["--http.port", "0", "--no-ws", "--metrics.port", "0"];
    const mode = ["--sync.mode", "snapshot", "--sync.checkpoint", trusted];
    return ["start", "--network", "local", "--data-dir", dataDir, ...peers, ...servers, ...mode];
  }

  /** Starts a node and waits until its output matches; also returns the whole output. */
  async function startUntil(said: RegExp, dataDir: string, trusted = checkpoint): Promise<[ChildProcess, string]> {
    const child = spawnCli(...syncFlags(dataDir, trusted));
    running.add(child);
    let output = "";
    await new Promise<void>((resolve, reject) => {
      const read = (chunk: Buffer) => {
        output += chunk;
        if (said.test(output)) resolve();
      };
      child.stdout!.on("data", read);
      child.stderr!.on("data", read);
      child.on("close", () => reject(new Error(`the node ended before it printed ${said}: ${output}`)));
    });
    return [child, output];
  }

  /** Kills a node when this share of the state is stored, or later if the rest was stored in the meantime. */
  async function killInState(dataDir: string, part: number): Promise<void> {
    const [child, output] = await startUntil(/"Metrics server listening/, dataDir);
    await until(async () => {
      const metrics = await (await fetch(metricsUrl(output))).text();
      const value = (name: string) => Number(metrics.match(new RegExp(`^cambium_snapshot_${name} (\\d+)`, "m"))?.[1]);
      const isAt = (step: string) => value(`step\\{step="${step}"\\}`) === 1;
      if (isAt("state")) return value("size") > 0 && value("completed") >= part * value("size");
      return isAt("blocks") || isAt("history");
    });
    await end(child, "SIGKILL");
    await isClean(dataDir);
  }

  async function startFresh(dataDir: string): Promise<PeerNode> {
    const mode = ["--sync.mode", "snapshot", "--sync.checkpoint", checkpoint, "--history", "blocks"];
    const flags = [...mode, "--metrics.port", "0"];
    const fresh = await startPeerNode(dataDir, [origin.address], ...flags);
    running.add(fresh.node.process);
    return fresh;
  }

  it("resumes after SIGKILL during state and history download, follows the tip, and completes", async () => {
    const dataDir = nodeFolder(folder, 1);
    for (let kill = 0; kill < KILLS; kill++) await killInState(dataDir, (kill + chance()) / KILLS);
    for (let kill = 0; kill < KILLS; kill++) {
      const fresh = await startFresh(dataDir);
      if (kill === 0) await assert.rejects(block(fresh.rpc, 1), /the oldest block of this node is/);
      await pause(chance() * 1_500);
      await end(fresh.node.process, "SIGKILL");
      await isClean(dataDir);
    }

    const fresh = await startFresh(dataDir);
    const [from] = await origin.rpc.call("eth_accounts");
    const counter = await counterOf(origin.rpc);
    for (let i = 0; i < 3; i++) await origin.rpc.call("eth_sendTransaction", { from, to: counter, gas: "0x186a0" });
    const best = await bestOf(origin);
    await until(async () => (await bestOf(fresh)).hash === best.hash);
    await until(() => block(fresh.rpc, 1).then(Boolean, () => false));
    await isSame(origin.rpc, fresh.rpc, counter);
    const metrics = await (await fetch(metricsUrl(fresh.node.greeting))).text();
    assert.match(metrics, /^cambium_sync_phase\{phase="following"\} 1$/m);
    assert.equal(await end(fresh.node.process, "SIGTERM"), 0);
    await isClean(dataDir);
  });

  it("reports why it waits if peers have a block other than the checkpoint, and imports nothing", async () => {
    const dataDir = nodeFolder(folder, 2);
    const [child, output] = await startUntil(
      /another block 6890 than the checkpoint/,
      dataDir,
      `${CHECKPOINT}:0x${"11".repeat(32)}`,
    );
    const port = /"port":(\d+),"msg":"The dashboard shows the progress/.exec(output)![1];
    const page = await fetch(`http://127.0.0.1:${port}/dashboard/`);
    assert.match(await page.text(), /<p>Looking for a snapshot.*another block 6890 than the checkpoint/);
    assert.equal(await end(child, "SIGINT"), 0);
    await isClean(dataDir, 1);
  });

  /** Runs a deep check; the database has at least genesis. */
  async function isClean(dataDir: string, blocks?: number): Promise<void> {
    const database = await openLevelDatabase(databasePath(dataDir));
    try {
      const result = await checkDatabase(database, NETWORKS.local, { deep: true });
      assert.deepEqual(result.problems, []);
      if (blocks !== undefined) assert.equal(result.blocks, blocks);
    } finally {
      await database.close();
    }
  }
});

async function isSame(one: RpcClient, other: RpcClient, counter: string): Promise<void> {
  const same = async (method: string, ...params: unknown[]) => {
    const [mine, theirs] = await Promise.all([one, other].map((rpc) => rpc.call(method, ...params)));
    assert.deepEqual(mine, theirs, `${method} ${params}`);
    return mine;
  };
  for (const number of [1, 2, 700, LOWEST - 1, LOWEST, CHECKPOINT, BLOCKS]) {
    const { transactions } = await same("eth_getBlockByNumber", hex(number), true);
    for (const { from, to } of transactions) {
      for (const address of [from, to]) if (address !== null) await same("eth_getBalance", address, "latest");
    }
  }
  await same("eth_getStorageAt", counter, "0x0", "latest");
  await same("eth_getCode", counter, "latest");
  const logs = await same("eth_getLogs", { address: counter, fromBlock: hex(CHECKPOINT + 1), toBlock: "latest" });
  assert(logs.length >= 3);
  for (const { transactionHash } of logs) await same("eth_getTransactionReceipt", transactionHash);
  const old = { address: counter, fromBlock: hex(1), toBlock: "latest" };
  await assert.rejects(other.call("eth_getLogs", old), /snapshot/);
}

/** Returns the contract that the first block created. */
async function counterOf(rpc: RpcClient): Promise<string> {
  const { transactions } = await block(rpc, 1);
  return (await rpc.call("eth_getTransactionReceipt", transactions[0])).contractAddress;
}

function block(rpc: RpcClient, number: number) {
  return rpc.call("eth_getBlockByNumber", hex(number), false);
}

function hex(number: number): string {
  return `0x${number.toString(16)}`;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function metricsUrl(greeting: string): string {
  const [, port] = greeting.match(/"port":(\d+),"msg":"Metrics/)!;
  return `http://127.0.0.1:${port}/metrics`;
}
