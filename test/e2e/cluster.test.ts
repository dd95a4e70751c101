import assert from "node:assert/strict";
import { WsClient } from "@cambium/test-utils/clients/ws-client";
import type { RunningNode } from "@cambium/test-utils/node-cli";
import { RpcClient, until } from "@cambium/test-utils/rpc-client";
import { Cluster } from "@cambium/test-utils/servers/cluster";
import { balancedServer, Haproxy, hasHaproxy } from "@cambium/test-utils/servers/haproxy";
import { hasNatsServer } from "@cambium/test-utils/servers/nats-server";

const METRICS = ["--metrics.port", "0", "--log.format", "json"];

/** Tests replicas behind HAProxy, as packaging/cluster configures it. */
describe("a balancer before replicas", function () {
  this.timeout(120_000);

  it("serves HTTP and WebSocket from replicas that are ready, and from the writer if none is", async function () {
    if (!hasNatsServer() || !hasHaproxy()) this.skip();
    const cluster = await Cluster.start();
    let haproxy: Haproxy | undefined;
    try {
      const writer = await cluster.startWriter("writer", ["--mine", ...METRICS]);
      const replicas: RunningNode[] = [];
      for (const name of ["one", "two"]) {
        await cluster.backup("writer", name);
        replicas.push(await cluster.startReplica(name, METRICS));
      }
      const [replica1, replica2] = replicas.map(balancedServer);
      haproxy = await Haproxy.start({ replica1: replica1!, replica2: replica2!, writer1: balancedServer(writer) });
      const rpc = new RpcClient(haproxy.url, false);
      const answers = () =>
        rpc.call("eth_chainId").then(
          () => true,
          () => false,
        );
      await until(answers);
      const [from] = await new RpcClient(writer.url, false).call("eth_accounts");
      const hash = await rpc.call("eth_sendRawTransaction", await signedBy(writer, from));
      await until(async () => (await rpc.call("eth_getTransactionReceipt", hash)) !== null);
      const subscriber = await WsClient.open(haproxy.url.replace("http", "ws"));
      assert.equal((await subscriber.call({ method: "eth_chainId", params: [] })).result, "0x21");
      await replicas[0]!.stop("SIGKILL");
      // A request that the first replica did not answer is sent to the second one.
      assert.equal(await rpc.call("eth_chainId"), "0x21");
      await replicas[1]!.stop("SIGKILL");
      await subscriber.end(false);
      await until(answers);
      assert.equal(await rpc.call("eth_accounts").then((accounts) => accounts[0]), from);
    } finally {
      await haproxy?.stop();
      await cluster.remove();
    }
  });
});

async function signedBy({ url }: RunningNode, from: string): Promise<string> {
  const request = { from, to: from, gas: "0x5208", gasPrice: "0x0" };
  return (await new RpcClient(url, false).call("eth_signTransaction", request)).raw;
}
