import assert from "node:assert/strict";
import { metricsAddress } from "@cambium/test-utils/clients/scraped-metrics";
import { WsClient } from "@cambium/test-utils/clients/ws-client";
import type { RunningNode } from "@cambium/test-utils/node-cli";
import { RpcClient, until } from "@cambium/test-utils/rpc-client";
import { Cluster } from "@cambium/test-utils/servers/cluster";
import { balancedServer, Haproxy, hasHaproxy } from "@cambium/test-utils/servers/haproxy";
import { hasNatsServer } from "@cambium/test-utils/servers/nats-server";
import { NetworkLink } from "@cambium/test-utils/servers/network-link";

const METRICS = ["--metrics.port", "0", "--log.format", "json"];
/** Time limit in milliseconds; less than two seconds suffice unless the machine is very busy. */
const GENEROUS = 20_000;

describe("a replica that is cut off from NATS", function () {
  this.timeout(120_000);

  it("gets no more requests from the balancer, which closes its WebSocket connections", async function () {
    if (!hasNatsServer() || !hasHaproxy()) this.skip();
    const cluster = await Cluster.start();
    const links = new Map<string, NetworkLink>();
    let haproxy: Haproxy | undefined;
    try {
      const writer = await cluster.startWriter("writer", ["--mine", "--replicate.copies", "24", ...METRICS]);
      const replicas = new Map<string, RunningNode>();
      for (const name of ["replica1", "replica2"]) {
        const link = await NetworkLink.to(cluster.nats.port);
        links.set(name, link);
        cluster.onEnd(() => link.close());
        const flags = ["--rpc.client-version", name, ...METRICS];
        replicas.set(name, await cluster.startReplica(name, flags, `nats://127.0.0.1:${link.port}`));
      }
      const [replica1, replica2] = [...replicas.values()].map(balancedServer);
      haproxy = await Haproxy.start({ replica1: replica1!, replica2: replica2!, writer1: balancedServer(writer) });
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
      await cluster.remove();
    }
  });
});
