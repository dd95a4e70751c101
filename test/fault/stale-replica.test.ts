import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Haproxy, hasHaproxy } from "@cambium/test-utils/haproxy";
import { hasNatsServer, NatsServer } from "@cambium/test-utils/nats-server";
import { NetworkLink } from "@cambium/test-utils/network-link";
import { type RunningNode, startNode, startReplica } from "@cambium/test-utils/node-cli";
import { RpcClient, until } from "@cambium/test-utils/rpc-client";
import { metricsAddress } from "@cambium/test-utils/scraped-metrics";
import { WsClient } from "@cambium/test-utils/ws-client";

const NETWORK = ["--network", "local"];
const METRICS = ["--metrics.port", "0", "--log.format", "json"];
/** Milliseconds; it takes less than two seconds unless the machine is very busy. */
const GENEROUS = 20_000;

describe("a replica that is cut off from NATS", function () {
  this.timeout(120_000);

  it("gets no more requests from the balancer, which closes its WebSocket connections", async function () {
    if (!hasNatsServer() || !hasHaproxy()) this.skip();
    const folder = mkdtempSync(join(tmpdir(), "cambium-stale-"));
    const nats = await NatsServer.start();
    const links = new Map<string, NetworkLink>();
    const running: RunningNode[] = [];
    const kept = async (starting: Promise<RunningNode>) => {
      const node = await starting;
      running.push(node);
      return node;
    };
    const data = (name: string) => [...NETWORK, "--data-dir", join(folder, name)];
    const serverOf = ({ url, greeting }: RunningNode) => {
      return { port: Number(new URL(url).port), metricsPort: Number(new URL(metricsAddress(greeting)).port) };
    };
    let haproxy: Haproxy | undefined;
    try {
      const replicate = ["--replicate", nats.url, "--replicate.copies", "24"];
      const writer = await kept(startNode(...data("writer"), "--mine", ...replicate, ...METRICS));
      const replicas = new Map<string, RunningNode>();
      for (const name of ["replica1", "replica2"]) {
        const link = await NetworkLink.to(nats.port);
        links.set(name, link);
        const flags = ["--from", `nats://127.0.0.1:${link.port}`, "--rpc.client-version", name];
        replicas.set(name, await kept(startReplica(...data(name), ...flags, ...METRICS)));
      }
      const [replica1, replica2] = [...replicas.values()].map(serverOf);
      haproxy = await Haproxy.start({ replica1: replica1!, replica2: replica2!, writer1: serverOf(writer) });
      const balanced = new RpcClient(haproxy.url, false);
      const answering = () => balanced.call("web3_clientVersion").catch(() => undefined) as Promise<string | undefined>;
      for (const node of replicas.values()) {
        await until(async () => (await fetch(`${metricsAddress(node.greeting)}/ready`)).status === 200);
      }
      await until(async () => replicas.has((await answering()) ?? ""));
      const stale = (await answering())!;
      const other = [...replicas.keys()].find((name) => name !== stale)!;
      const subscribers: WsClient[] = [];
      for (let i = 0; i < 4; i++) subscribers.push(await WsClient.open(haproxy.url.replace("http", "ws")));
      links.get(stale)!.cut();
      const cutAt = performance.now();
      const rpc = new RpcClient(writer.url, false);
      const [from] = await rpc.call("eth_accounts");
      await rpc.call("eth_sendTransaction", { from, to: from, value: "0x1", gas: "0x5208" });
      const latest = await rpc.call("eth_blockNumber");
      const blockOf = (name: string) => new RpcClient(replicas.get(name)!.url, false).call("eth_blockNumber");
      await until(async () => (await blockOf(other)) === latest);
      await until(async () => (await answering()) === other);
      assert.ok(performance.now() - cutAt < GENEROUS);
      for (let i = 0; i < 50; i++) {
        assert.equal(await answering(), other);
        assert.equal(await balanced.call("eth_blockNumber"), latest);
      }
      await until(async () => subscribers.some(({ isOpen }) => !isOpen));
      assert.ok(subscribers.some(({ isOpen }) => isOpen));
      assert.equal((await fetch(`${metricsAddress(replicas.get(stale)!.greeting)}/ready`)).status, 503);
      links.get(stale)!.restore();
      await until(async () => (await blockOf(stale)) === latest);
      for (const subscriber of subscribers) await subscriber.end(false);
    } finally {
      await haproxy?.stop();
      await Promise.all(running.map((node) => node.stop("SIGKILL")));
      for (const link of links.values()) await link.close();
      await nats.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
