import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NETWORKS } from "@cambium/config";
import { type RunningNode, runCli, startNode } from "@cambium/test-utils/node-cli";
import { random } from "@cambium/test-utils/random";
import { RpcClient } from "@cambium/test-utils/rpc-client";
import { SEED } from "@cambium/test-utils/seed";
import { reachedBlock } from "./killing.js";

const KILLS = Number(process.env.KILLS ?? 6);
/**
 * Number of the node's senders, whose transactions come simultaneously: they share blocks, and run in different lists.
 */
const SENDERS = 5;

const network = NETWORKS.local;

/** Repeats the work of a test suite until the node no longer answers. */
async function useUntilKilled({ url }: RunningNode, kill: () => void, rounds: number): Promise<void> {
  const rpc = new RpcClient(url, false);
  const senders: string[] = (await rpc.call("eth_accounts")).slice(0, SENDERS);
  const send = (from: string, value: number) =>
    rpc.call("eth_sendTransaction", { from, to: senders[0], value: `0x${value.toString(16)}`, gas: "0x5208" });
  for (let round = 1; ; round++) {
    await Promise.all(senders.map((from) => send(from, round)));
    const snapshot = await rpc.call("evm_snapshot");
    for (let block = 0; block < 5; block++) await send(senders[1]!, 1000 + round + block);
    const reverting = rpc.call("evm_revert", snapshot);
    if (round === rounds) setImmediate(kill);
    await reverting;
    await send(senders[2]!, round);
  }
}

describe("a node on a local network, killed while it mines and reverts", function () {
  this.timeout(30 * 60_000);

  it("has a sound database each time, whose export another node imports", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cambium-local-kill-"));
    const flags = ["--network", network.name, "--data-dir", join(folder, "data")];
    const chance = random(SEED);
    try {
      for (let i = 0; i < KILLS; i++) {
        const node = await startNode(...flags, "--mine");
        const ended = new Promise((resolve) => node.process.once("close", resolve));
        const using = useUntilKilled(node, () => node.process.kill("SIGKILL"), 1 + Math.floor(chance() * 10));
        await assert.rejects(using, /fetch failed/);
        await ended;
        assert((await reachedBlock(join(folder, "data"), network)).blocks > 0);
      }
      const { hash, blocks } = await reachedBlock(join(folder, "data"), network);
      const file = join(folder, "blocks.txt.gz");
      const copy = ["--network", network.name, "--data-dir", join(folder, "copy")];
      for (const command of [
        ["export", "--from", "1", "--to", String(blocks), file, ...flags],
        ["import", file, ...copy],
      ]) {
        const { status, stderr } = await runCli(...command);
        assert.equal(status, 0, stderr);
      }
      assert.equal((await reachedBlock(join(folder, "copy"), network)).hash, hash);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
