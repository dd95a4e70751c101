import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { databasePath } from "@cambium/database";
import { contentOf } from "@cambium/test-utils/chain-content";
import { atDepth } from "@cambium/test-utils/depth";
import { hasNatsServer, NatsServer } from "@cambium/test-utils/nats-server";
import { type RunningNode, runCli, startNode, startReplica } from "@cambium/test-utils/node-cli";
import { random } from "@cambium/test-utils/random";
import { RpcClient, until } from "@cambium/test-utils/rpc-client";
import { SEED } from "@cambium/test-utils/seed";

const NETWORK = ["--network", "local"];
const REPLICAS = ["one", "two"];

async function headOf({ url }: RunningNode): Promise<string> {
  return (await new RpcClient(url, false).call("eth_getBlockByNumber", "latest", false)).hash;
}

async function follows(replica: RunningNode, writer: RunningNode): Promise<void> {
  await until(async () => (await headOf(replica)) === (await headOf(writer)));
}

/** Sends transactions and reverts blocks, until the node is killed. */
async function use({ url }: RunningNode, rounds: number): Promise<void> {
  const rpc = new RpcClient(url, false);
  const [from] = await rpc.call("eth_accounts");
  for (let round = 0; round < rounds; round++) {
    await rpc.call("eth_sendTransaction", { from, to: from, value: "0x1", gas: "0x5208" });
    if (round % 5 !== 4) continue;
    const snapshot = await rpc.call("evm_snapshot");
    await rpc.call("evm_mine");
    await rpc.call("evm_revert", snapshot);
  }
}

describe("replicas of a node", function () {
  this.timeout(20 * 60_000);

  it("end with the writer's tables, although writer, replicas and the NATS server are killed", async function () {
    if (!hasNatsServer()) this.skip();
    const chance = random(SEED);
    const folder = mkdtempSync(join(tmpdir(), "cambium-replica-kill-"));
    const data = (name: string) => join(folder, name);
    const nats = await NatsServer.start();
    const nodes = new Map<string, RunningNode>();
    const start = async (name: string) => {
      const flags = [...NETWORK, "--data-dir", data(name)];
      const starting =
        name === "writer"
          ? startNode(...flags, "--mine", "--replicate", nats.url)
          : startReplica(...flags, "--from", nats.url);
      nodes.set(name, await starting);
    };
    const restart = async (name: string, signal: NodeJS.Signals = "SIGKILL") => {
      await nodes.get(name)!.stop(signal);
      await start(name);
    };
    const follow = () => Promise.all(REPLICAS.map((name) => follows(nodes.get(name)!, nodes.get("writer")!)));
    try {
      await start("writer");
      for (const name of REPLICAS) {
        const { status, stderr } = await runCli("db", "backup", data(name), ...NETWORK, "--data-dir", data("writer"));
        assert.equal(status, 0, stderr);
        await start(name);
      }
      const disturbances = [
        ...["writer", ...REPLICAS].map((name) => () => restart(name)),
        () => nats.kill().then(() => nats.restart()),
      ];
      for (let i = 0; i < atDepth(disturbances.length, 40); i++) {
        const using = use(nodes.get("writer")!, 20 + Math.floor(chance() * 30)).catch(() => undefined);
        await until(async () => chance() < 0.2);
        await disturbances[i % disturbances.length]!();
        await using;
      }
      // What the writer writes while it stops reaches the stream when it starts again.
      await restart("writer", "SIGTERM");
      await use(nodes.get("writer")!, 1);
      await follow();
      await Promise.all([...nodes.values()].map((node) => node.stop("SIGKILL")));
      const expected = await contentOf(databasePath(data("writer")));
      for (const name of REPLICAS) assert.equal(await contentOf(databasePath(data(name))), expected, name);
    } finally {
      await Promise.all([...nodes.values()].map((node) => node.stop("SIGKILL")));
      await nats.remove();
      rmSync(folder, { recursive: true });
    }
  });
});
