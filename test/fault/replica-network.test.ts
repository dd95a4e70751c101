import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { databasePath } from "@cambium/database";
import { contentOf } from "@cambium/test-utils/chain-content";
import { atDepth } from "@cambium/test-utils/depth";
import { hasNatsServer, NatsServer } from "@cambium/test-utils/nats-server";
import { NetworkLink } from "@cambium/test-utils/network-link";
import { type RunningNode, spawnCli, startNode, startReplica } from "@cambium/test-utils/node-cli";
import { random } from "@cambium/test-utils/random";
import { RpcClient, until } from "@cambium/test-utils/rpc-client";
import { SEED } from "@cambium/test-utils/seed";

const NETWORK = ["--network", "local"];
const REPLICAS = ["one", "two"];

async function headOf({ url }: RunningNode): Promise<string> {
  return (await new RpcClient(url, false).call("eth_getBlockByNumber", "latest", false)).hash;
}

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
  let folder: string;
  let running: Map<string, RunningNode>;
  let chance: () => number;
  const ends: (() => Promise<unknown>)[] = [];

  before(function () {
    if (!hasNatsServer()) this.skip();
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-replica-network-"));
    running = new Map();
    chance = random(SEED);
  });

  afterEach(async () => {
    await Promise.all([...running.values()].map((node) => node.stop("SIGKILL")));
    for (const end of ends.splice(0)) await end();
    rmSync(folder, { recursive: true, force: true });
  });

  const data = (name: string) => join(folder, name);

  async function start(name: string, servers: string, ...flags: string[]): Promise<RunningNode> {
    const common = [...NETWORK, "--data-dir", data(name)];
    const isWriter = name === "writer";
    const node = await (isWriter
      ? startNode(...common, "--mine", "--replicate", servers, "--replicate.copies", "24", ...flags)
      : startReplica(...common, "--from", servers, ...flags));
    running.set(name, node);
    return node;
  }

  /** Waits until the replicas have followed the writer, stops all, and compares what they have. */
  async function endEqual(names: readonly string[]): Promise<void> {
    const writer = running.get("writer")!;
    for (const name of names) await until(async () => (await headOf(running.get(name)!)) === (await headOf(writer)));
    await Promise.all([...running.values()].map((node) => node.stop("SIGKILL")));
    const expected = await contentOf(databasePath(data("writer")));
    for (const name of names) assert.equal(await contentOf(databasePath(data(name))), expected, name);
  }

  /** Disturbs the network while the writer is used. */
  async function disturb(rounds: number, disturbance: () => Promise<void>): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      let isOver = false;
      const using = use(running.get("writer")!, () => isOver);
      try {
        await disturbance();
      } finally {
        isOver = true;
        await using;
      }
    }
  }

  it("end with the writer's tables, although servers of a NATS cluster are killed one after the other", async () => {
    const cluster = await NatsServer.startCluster();
    ends.push(...cluster.map((server) => () => server.remove()));
    const servers = cluster.map(({ url }) => url).join();
    await start("writer", servers, "--replicate.redundancy", "3");
    for (const name of REPLICAS) await start(name, servers);
    const order = [...cluster.keys()].sort(() => chance() - 0.5);
    let next = 0;
    await disturb(atDepth(1, 2), async () => {
      const server = cluster[order[next++ % order.length]!]!;
      // One of them at a time.
      await until(async () => (await Promise.all(cluster.map((one) => one.isCurrent()))).every(Boolean));
      await server.kill();
      // The other two go on without it.
      const head = await headOf(running.get("writer")!);
      for (const name of REPLICAS) await knows(running.get(name)!, head);
      await server.restart();
    });
    await endEqual(REPLICAS);
  });

  it("end with the writer's tables, although the writer and replicas are cut off from NATS", async () => {
    const nats = await NatsServer.start();
    ends.push(() => nats.remove());
    const links: NetworkLink[] = [];
    for (const name of ["writer", ...REPLICAS]) {
      const link = await NetworkLink.to(nats.port);
      links.push(link);
      ends.push(() => link.close());
      await start(name, `nats://127.0.0.1:${link.port}`);
    }
    await disturb(atDepth(2, 4), async () => {
      const cut = links.filter(() => chance() < 0.5);
      for (const link of cut) link.cut();
      const head = await headOf(running.get("writer")!);
      await until(async () => (await headOf(running.get("writer")!)) !== head);
      for (const link of cut) {
        if (chance() < 0.5) link.restore();
        else link.reset();
      }
      const latest = await headOf(running.get("writer")!);
      for (const name of REPLICAS) await knows(running.get(name)!, latest);
    });
    await endEqual(REPLICAS);
  });

  it("end with the writer's tables, although they are killed while they fetch a copy", async () => {
    const nats = await NatsServer.start();
    ends.push(() => nats.remove());
    await start("writer", nats.url);
    await use(running.get("writer")!, () => true);
    const flags = ["--data-dir", data("one"), "--from", nats.url, "--http.port", "0", "--ws.port", "0"];
    for (let lines = 1; lines <= 5; lines++) {
      const child = spawnCli("replica", ...NETWORK, ...flags);
      const output = createInterface(child.stdout!)[Symbol.asyncIterator]();
      for (let line = 0; line < lines; line++) await output.next();
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    }
    await start("one", nats.url);
    await endEqual(["one"]);
  });
});

async function knows({ url }: RunningNode, hash: string): Promise<void> {
  await until(async () => (await new RpcClient(url, false).call("eth_getBlockByHash", hash, false)) !== null);
}
