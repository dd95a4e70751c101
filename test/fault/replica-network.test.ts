import { once } from "node:events";
import { createInterface } from "node:readline";
import { atDepth } from "@cambium/test-utils/depth";
import { type RunningNode, spawnCli } from "@cambium/test-utils/node-cli";
import { random } from "@cambium/test-utils/random";
import { RpcClient, until } from "@cambium/test-utils/rpc-client";
import { SEED } from "@cambium/test-utils/seed";
import { Cluster, headOf } from "@cambium/test-utils/servers/cluster";
import { hasNatsServer, NatsServer } from "@cambium/test-utils/servers/nats-server";
import { NetworkLink } from "@cambium/test-utils/servers/network-link";

const REPLICAS = ["one", "two"];

/** Sends transactions, each of which is mined in a block, until `isEnough`, but no more than a few hundred. */
async function use({ url }: RunningNode, isEnough: () => boolean): Promise<void> {
  const rpc = new RpcClient(url, false);
  const [from] = await rpc.call("eth_accounts");
  for (let sent = 0; sent < 20 || (sent < 300 && !isEnough()); sent++) {
    await rpc.call("eth_sendTransaction", { from, to: from, value: "0x1", gas: "0x5208" });
  }
}

describe("replicas of a node", function () {
  this.timeout(10 * 60_000);
  let cluster: Cluster;
  let chance: () => number;

  before(function () {
    if (!hasNatsServer()) this.skip();
  });

  beforeEach(() => {
    chance = random(SEED);
  });

  afterEach(() => cluster?.remove());

  const startWriter = (url = cluster.url, ...flags: string[]) =>
    cluster.startWriter("writer", ["--mine", "--replicate.copies", "24", ...flags], url);

  /** Waits until the replicas have followed the writer, stops all, and compares their content. */
  async function endEqual(names: readonly string[]): Promise<void> {
    for (const name of names) await cluster.follows(cluster.node(name), cluster.node("writer"));
    await cluster.endEqual(["writer", ...names]);
  }

  /** Disturbs the network while the writer is used. */
  async function disturb(rounds: number, disturbance: () => Promise<void>): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      let isOver = false;
      const using = use(cluster.node("writer"), () => isOver);
      try {
        await disturbance();
      } finally {
        isOver = true;
        await using;
      }
    }
  }

  it("end with the writer's tables, although servers of a NATS cluster are killed one after the other", async () => {
    const servers = await NatsServer.startCluster();
    cluster = await Cluster.start(servers);
    await startWriter(cluster.url, "--replicate.redundancy", "3");
    for (const name of REPLICAS) await cluster.startReplica(name);
    const order = [...servers.keys()].sort(() => chance() - 0.5);
    let next = 0;
    await disturb(atDepth(1, 2), async () => {
      const server = servers[order[next++ % order.length]!]!;
      // The servers are disturbed one at a time.
      await until(async () => (await Promise.all(servers.map((one) => one.isCurrent()))).every(Boolean));
      await server.kill();
      // The other two servers continue without it.
      const head = await headOf(cluster.node("writer"));
      for (const name of REPLICAS) await knows(cluster.node(name), head);
      await server.restart();
    });
    await endEqual(REPLICAS);
  });

  it("end with the writer's tables, although the writer and replicas are cut off from NATS", async () => {
    cluster = await Cluster.start();
    const links: NetworkLink[] = [];
    const linked = async () => {
      const link = await NetworkLink.to(cluster.nats.port);
      links.push(link);
      cluster.onEnd(() => link.close());
      return `nats://127.0.0.1:${link.port}`;
    };
    await startWriter(await linked());
    for (const name of REPLICAS) await cluster.startReplica(name, [], await linked());
    await disturb(atDepth(2, 4), async () => {
      const cut = links.filter(() => chance() < 0.5);
      for (const link of cut) link.cut();
      const head = await headOf(cluster.node("writer"));
      await until(async () => (await headOf(cluster.node("writer"))) !== head);
      for (const link of cut) {
        if (chance() < 0.5) link.restore();
        else link.reset();
      }
      const latest = await headOf(cluster.node("writer"));
      for (const name of REPLICAS) await knows(cluster.node(name), latest);
    });
    await endEqual(REPLICAS);
  });

  it("end with the writer's tables, although they are killed while they fetch a copy", async () => {
    cluster = await Cluster.start();
    await startWriter();
    await use(cluster.node("writer"), () => true);
    const flags = [...cluster.flags("one"), "--from", cluster.url, "--http.port", "0", "--ws.port", "0"];
    for (let lines = 1; lines <= 5; lines++) {
      const child = spawnCli("replica", ...flags);
      const output = createInterface(child.stdout!)[Symbol.asyncIterator]();
      for (let line = 0; line < lines; line++) await output.next();
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    }
    await cluster.startReplica("one");
    await endEqual(["one"]);
  });
});

async function knows({ url }: RunningNode, hash: string): Promise<void> {
  await until(async () => (await new RpcClient(url, false).call("eth_getBlockByHash", hash, false)) !== null);
}
