import { atDepth } from "@cambium/test-utils/depth";
import type { RunningNode } from "@cambium/test-utils/node-cli";
import { random } from "@cambium/test-utils/random";
import { RpcClient, until } from "@cambium/test-utils/rpc-client";
import { SEED } from "@cambium/test-utils/seed";
import { Cluster } from "@cambium/test-utils/servers/cluster";
import { hasNatsServer } from "@cambium/test-utils/servers/nats-server";

const REPLICAS = ["one", "two"];

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
    const cluster = await Cluster.start();
    const start = (name: string) =>
      name === "writer" ? cluster.startWriter(name, ["--mine"]) : cluster.startReplica(name);
    const restart = async (name: string, signal: NodeJS.Signals = "SIGKILL") => {
      await cluster.node(name).stop(signal);
      await start(name);
    };
    const follow = () =>
      Promise.all(REPLICAS.map((name) => cluster.follows(cluster.node(name), cluster.node("writer"))));
    try {
      await start("writer");
      for (const name of REPLICAS) {
        await cluster.backup("writer", name);
        await start(name);
      }
      const disturbances = [
        ...["writer", ...REPLICAS].map((name) => () => restart(name)),
        () => cluster.nats.kill().then(() => cluster.nats.restart()),
      ];
      for (let i = 0; i < atDepth(disturbances.length, 40); i++) {
        const using = use(cluster.node("writer"), 20 + Math.floor(chance() * 30)).catch(() => undefined);
        await until(async () => chance() < 0.2);
        await disturbances[i % disturbances.length]!();
        await using;
      }
      // Batches that the writer writes while it stops reach the stream when it starts again.
      await restart("writer", "SIGTERM");
      await use(cluster.node("writer"), 1);
      await follow();
      await cluster.endEqual();
    } finally {
      await cluster.remove();
    }
  });
});
