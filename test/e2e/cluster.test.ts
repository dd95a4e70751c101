import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Haproxy, hasHaproxy } from "@cambium/test-utils/haproxy";
import { hasNatsServer, NatsServer } from "@cambium/test-utils/nats-server";
import { type RunningNode, runCli, startNode, startReplica } from "@cambium/test-utils/node-cli";
import { RpcClient, until } from "@cambium/test-utils/rpc-client";
import { metricsAddress } from "@cambium/test-utils/scraped-metrics";
import { WsClient } from "@cambium/test-utils/ws-client";

const NETWORK = ["--network", "local"];
const METRICS = ["--metrics.port", "0", "--log.format", "json"];

/** Replicas behind HAProxy, as packaging/cluster configures it. */
describe("a balancer before replicas", function () {
  this.timeout(120_000);

  it("serves HTTP and WebSocket from replicas that are ready, and from the writer if none is", async function () {
    if (!hasNatsServer() || !hasHaproxy()) this.skip();
    const folder = mkdtempSync(join(tmpdir(), "cambium-cluster-"));
    const nats = await NatsServer.start();
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
      const writer = await kept(startNode(...data("writer"), "--mine", "--replicate", nats.url, ...METRICS));
      const replicas: RunningNode[] = [];
      for (const name of ["one", "two"]) {
        const { status, stderr } = await runCli("db", "backup", join(folder, name), ...data("writer"));
        assert.equal(status, 0, stderr);
        replicas.push(await kept(startReplica(...data(name), "--from", nats.url, ...METRICS)));
      }
      const [replica1, replica2] = replicas.map(serverOf);
      haproxy = await Haproxy.start({ replica1: replica1!, replica2: replica2!, writer1: serverOf(writer) });
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
      // What it did not answer is asked again at the other one.
      assert.equal(await rpc.call("eth_chainId"), "0x21");
      await replicas[1]!.stop("SIGKILL");
      await subscriber.end(false);
      await until(answers);
      assert.equal(await rpc.call("eth_accounts").then((accounts) => accounts[0]), from);
    } finally {
      await haproxy?.stop();
      await Promise.all(running.map((node) => node.stop("SIGKILL")));
      await nats.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

async function signedBy({ url }: RunningNode, from: string): Promise<string> {
  const request = { from, to: from, gas: "0x5208", gasPrice: "0x0" };
  return (await new RpcClient(url, false).call("eth_signTransaction", request)).raw;
}
