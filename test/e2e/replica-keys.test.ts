import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { scrape } from "@cambium/test-utils/clients/scraped-metrics";
import { type RunningNode, runCli } from "@cambium/test-utils/node-cli";
import { type Json, until } from "@cambium/test-utils/rpc-client";
import { Cluster } from "@cambium/test-utils/servers/cluster";
import { hasNatsServer } from "@cambium/test-utils/servers/nats-server";
import { hasRedisServer, RedisServer } from "@cambium/test-utils/servers/redis-server";

const NETWORK = ["--network", "local"];
const LIMIT = 5;

const request = (method: string, ...params: unknown[]) => ({ jsonrpc: "2.0", id: 1, method, params });

async function ask({ url }: RunningNode, secret: string, body: unknown): Promise<{ status: number; json: Json }> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}/${secret}`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, json: await response.json() };
}

describe("API keys and rate limits of two replicas that share a Redis server", function () {
  this.timeout(300_000);
  const output: string[] = [];
  let cluster: Cluster;
  let redis: RedisServer;
  let one: RunningNode;
  let two: RunningNode;

  async function kept(starting: Promise<RunningNode>): Promise<RunningNode> {
    const node = await starting;
    for (const stream of [node.process.stdout!, node.process.stderr!])
      stream.on("data", (text) => output.push(String(text)));
    return node;
  }

  async function keys(command: string, ...args: string[]): Promise<Json> {
    const { status, stdout, stderr } = await runCli("keys", command, ...args, "--rpc.redis", redis.url, "--json");
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
  }

  before(async function () {
    if (!hasNatsServer() || !hasRedisServer()) this.skip();
    [cluster, redis] = await Promise.all([Cluster.start(), RedisServer.start()]);
    const { url } = cluster.nats;
    const writer = await kept(cluster.startWriter("writer"));
    const usage = ["--rpc.usage", url, "--rpc.usage.interval", "1", "--metrics.port", "0"];
    const shared = [...usage, "--rpc.redis", redis.url, "--rpc.managed-keys", "--rpc.limit", String(LIMIT)];
    const start = async (name: string, ...flags: string[]) => {
      await cluster.backup("writer", name);
      return kept(cluster.startReplica(name, [...shared, ...flags]));
    };
    one = await start("one");
    two = await start("two", "--rpc.readers", "2");
    assert.match(writer.url, /^http/);
  });

  after(async () => {
    await Promise.all([cluster?.remove(), redis?.remove()]);
  });

  it("take effect on both while they run, also on what they forward, and are never shown again", async () => {
    const { name, secret } = await keys("add", "alice", "--methods", "eth_chainId,trace", "--requests", "1000");
    assert.equal(name, "alice");
    for (const replica of [one, two]) {
      assert.equal((await ask(replica, "", request("eth_chainId"))).status, 401);
      await until(async () => (await ask(replica, secret, request("eth_chainId"))).json.result === "0x21");
      // The writer answers the first request, the replica the second one.
      for (const method of ["eth_gasPrice", "eth_blockNumber"]) {
        assert.match((await ask(replica, secret, request(method))).json.error.message, /for this API key/, method);
      }
    }
    await keys("limit", "alice", "--methods", "all", "--requests", "100000", "--expires", "2100-01-31");
    const listed = await keys("list");
    assert.deepEqual(
      listed.map(({ created, ...key }: Json) => [typeof created, key]),
      [["string", { name: "alice", limit: { amount: 100_000, of: "requests" }, expires: "2100-01-31T00:00:00Z" }]],
    );
    for (const replica of [one, two]) {
      await until(async () => (await ask(replica, secret, request("eth_gasPrice"))).json.result !== undefined);
    }
    assert.deepEqual(await keys("revoke", "alice"), { name: "alice" });
    for (const replica of [one, two]) {
      await until(async () => (await ask(replica, secret, request("eth_chainId"))).status === 401);
    }
    const files = readdirSync(cluster.folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const texts = [
      ...output,
      ...files.map(({ parentPath, name: file }) => readFileSync(join(parentPath, file), "latin1")),
    ];
    assert(!texts.some((text) => text.includes(secret)));
  });

  it("count the requests to all replicas together", async () => {
    const { secret } = await keys("add", "bob");
    for (const replica of [one, two]) {
      await until(async () => (await ask(replica, secret, request("eth_chainId"))).status !== 401);
    }
    for (const [first, second] of [
      [one, two],
      [two, one],
    ] as const) {
      // The first batch uses the limit of its whole second. Another batch in the same second is refused.
      const whole = Array.from({ length: LIMIT }, () => request("eth_chainId"));
      await until(async () => {
        const { status } = await ask(first, secret, whole);
        return (await ask(second, secret, request("eth_chainId"))).status === 429 && status === 200;
      });
    }
  });

  it("add up what each key uses, whichever replica and thread answers", async () => {
    const { secret } = await keys("add", "erin", "--requests", "1000");
    const batch = [request("eth_chainId"), request("txpool_status"), request("eth_nothing")];
    for (const replica of [one, two]) {
      await until(async () => (await ask(replica, secret, {})).status !== 401);
      assert.equal((await ask(replica, secret, batch)).json.length, 3);
      for (const method of ["eth_gasPrice", "eth_estimateGas"]) await ask(replica, secret, request(method));
    }
    await until(async () => (await keys("usage", "erin"))[0]?.requests === 12);
    const [{ units, errors, refused, bytes }] = await keys("usage", "erin", "--days", "2");
    assert.deepEqual([units, errors, refused, bytes > 500], [20, 6, 0, true]);
    for (const { greeting } of [one, two]) {
      await until(async () => (await scrape(greeting)).get("cambium_rpc_usage_published_records_total")! > 0);
      const metrics = await scrape(greeting);
      assert.equal(metrics.get('cambium_rpc_key_requests_total{key="erin"}'), 6);
      assert.equal(metrics.get("cambium_rpc_usage_lost_requests_total"), 0);
      assert(!metrics.text.includes(secret));
    }
  });

  it("say what is wrong with a command", async () => {
    const redisFlags = ["--rpc.redis", redis.url];
    await keys("add", "carol");
    for (const [args, expected] of [
      [["add", "carol", ...redisFlags], /there is a key carol; revoke it first/],
      [["revoke", "dave", ...redisFlags], /there is no key dave; "node-cli keys list" shows all/],
      [["add", "a b", ...redisFlags], /invalid value 'a b' for the name/],
      [["add", "dave", "--methods", "eth_nothing", ...redisFlags], /invalid value 'eth_nothing' for --methods/],
      [["add", "dave", "--expires", "2020-01-01", ...redisFlags], /a date that is not past/],
      [["add", "dave", "--requests", "1", "--units", "1", ...redisFlags], /not both/],
      [["limit", "carol", ...redisFlags], /requires one of --requests/],
      [
        ["list", "--rpc.redis", "redis://:hidden@127.0.0.1:1"],
        /cannot use the Redis server 127.0.0.1:1: .*check --rpc.redis/,
      ],
      [["list", "--rpc.redis", "localhost"], /expected redis:/],
    ] as const) {
      const { status, stderr } = await runCli("keys", ...args);
      assert.equal(status, 1, args.join(" "));
      assert.match(stderr, expected);
      assert(!stderr.includes("hidden"));
    }
    const { status, stderr } = await runCli("replica", ...NETWORK, "--from", cluster.url, "--rpc.managed-keys");
    assert.equal(status, 1);
    assert.match(stderr, /--rpc.managed-keys requires --rpc.redis/);
    const metered = await runCli("replica", ...NETWORK, "--from", cluster.url, "--rpc.usage", cluster.url);
    assert.equal(metered.status, 1);
    assert.match(metered.stderr, /--rpc.usage requires --rpc.keys or --rpc.managed-keys/);
  });
});
