import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { toHex } from "@cambium/primitives";
import { connectionOptions } from "@cambium/replication";
import { metricsAddress } from "@cambium/test-utils/clients/scraped-metrics";
import { type RunningNode, runCli } from "@cambium/test-utils/node-cli";
import { RpcClient, until } from "@cambium/test-utils/rpc-client";
import { Cluster, headOf } from "@cambium/test-utils/servers/cluster";
import { hasNatsServer, NatsServer, type NatsUser } from "@cambium/test-utils/servers/nats-server";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";

const STREAM = "cambium-local";
const METRICS = ["--metrics.port", "0"];

describe("the users of packaging/cluster/nats.conf", function () {
  this.timeout(300_000);
  let cluster: Cluster;
  let nats: NatsServer;

  before(function () {
    if (!hasNatsServer()) this.skip();
  });

  beforeEach(async () => {
    nats = await NatsServer.startShipped("local");
    cluster = await Cluster.start([nats]);
  });

  afterEach(() => cluster?.remove());

  function keyFile(name: string): string {
    const path = cluster.data(name);
    writeFileSync(path, toHex(randomBytes(32)), { mode: 0o600 });
    return path;
  }

  const call = ({ url }: RunningNode, method: string, ...params: unknown[]) =>
    new RpcClient(url, false).call(method, ...params);

  const startWriter = (name: string, key: string) => {
    const shared = ["--replicate.standby", "--replicate.copies", "1", "--replicate.key-file", key];
    return cluster.startWriter(name, ["--mine", ...shared, ...METRICS], nats.urlOf("writer"));
  };

  const startOther = (name: string, key: string) =>
    cluster.startReplica(name, ["--from.key-file", key, ...METRICS], nats.urlOf("replica"));

  it("may do what writers, replicas and feeds need, with a key, and nothing that they do not", async () => {
    const key = keyFile("key");
    const first = await startWriter("first", key);
    await until(async () => (await call(first, "evm_mine").catch(() => undefined)) !== undefined);
    const [one, two] = [await startOther("one", key), await startOther("two", key)];
    const second = await startWriter("second", key);
    await until(
      async () => (await headOf(one)) === (await headOf(first)) && (await headOf(two)) === (await headOf(first)),
    );
    const [from] = await call(first, "eth_accounts");
    const request = { from, to: from, gas: "0x5208", gasPrice: "0x0" };
    const { raw } = await call(first, "eth_signTransaction", request);
    const hash = await call(one, "eth_sendRawTransaction", raw);
    await until(async () => (await call(two, "eth_getTransactionReceipt", hash)) !== null);
    const rows = ["--to", nats.urlOf("feed"), "--rpc", one.url, "--confirmations", "0", "--to-block", "1"];
    const { status, stderr } = await runCli("feed", ...rows);
    assert.equal(status, 0, stderr);
    await until(async () => (await headOf(second)) === (await headOf(first)));
    await first.stop("SIGTERM");
    await until(async () => (await call(second, "evm_mine").catch(() => undefined)) !== undefined);
    await until(async () => (await headOf(one)) === (await headOf(second)));
    assert.deepEqual(nats.violations, []);
  });

  function connectAs(user: NatsUser): Promise<NatsConnection> {
    return connect(connectionOptions({ servers: [nats.urlOf(user)], stream: STREAM }));
  }

  /** Whether the server lets a user publish to a subject. */
  async function mayPublish(user: NatsUser, subject: string): Promise<boolean> {
    const connection = await connectAs(user);
    try {
      const before = nats.violations.length;
      connection.publish(subject, "x");
      await connection.flush();
      // The log arrives by another path: a deliberate violation must be the next one.
      connection.publish(`violation.${user}`, "x");
      await connection.flush();
      if (user === "operator") return true;
      await until(async () => nats.violations.slice(before).some((line) => line.includes(`violation.${user}`)));
      return nats.violations.length === before + 1;
    } finally {
      await connection.close();
    }
  }

  it("may not publish what others do, nor change their streams", async () => {
    const forbidden: Record<string, NatsUser[]> = {
      [`${STREAM}.batches`]: ["replica", "feed", "reader"],
      [`${STREAM}.pool`]: ["replica", "feed", "reader"],
      [`${STREAM}.requests`]: ["feed", "reader"],
      [`${STREAM}.pool-snapshot`]: ["feed", "reader"],
      [`$KV.${STREAM}-lease.writer`]: ["replica", "feed", "reader"],
      [`$O.${STREAM}-copy.C.x`]: ["replica", "feed", "reader"],
      "cambium-feed.blocks": ["writer", "replica", "reader"],
      "_INBOX.x": ["writer", "replica", "feed", "reader"],
    };
    for (const stream of [STREAM, `KV_${STREAM}-lease`, `OBJ_${STREAM}-copy`]) {
      for (const verb of ["PURGE", "UPDATE", "MSG.DELETE", "DELETE", "RESTORE"]) {
        forbidden[`$JS.API.STREAM.${verb}.${stream}`] = ["replica", "feed", "reader"];
      }
      forbidden[`$JS.API.STREAM.DELETE.${stream}`]!.push("writer");
    }
    for (const [subject, users] of Object.entries(forbidden)) {
      for (const user of users) assert.equal(await mayPublish(user, subject), false, `${user}: ${subject}`);
    }
    assert.equal(await mayPublish("writer", `${STREAM}.batches`), true);
    assert.equal(await mayPublish("replica", `${STREAM}.requests`), true);
  });

  it("are warned of a missing key, and cannot use one that others can read", async () => {
    const key = keyFile("key");
    const sealed = await startWriter("sealed", key);
    assert.doesNotMatch(sealed.greeting, /can forge the state/);
    const open = await cluster.startWriter("open", ["--replicate.stream", "cambium-other"], nats.urlOf("writer"));
    assert.match(open.greeting, /can forge the state of replicas: set --replicate.key-file/);
    chmodSync(key, 0o644);
    for (const [command, option] of [
      ["start", "--replicate"],
      ["replica", "--from"],
    ] as const) {
      const flags = [...cluster.flags("refused"), option, nats.urlOf("writer"), `${option}.key-file`, key];
      const { status, stderr } = await runCli(command, ...flags);
      assert.deepEqual([status, stderr.includes("chmod 600")], [1, true], stderr);
    }
  });

  it("are not enough without the key of the writer", async () => {
    const writer = await startWriter("writer", keyFile("key"));
    await until(async () => (await call(writer, "evm_mine").catch(() => undefined)) !== undefined);
    const connection = await connectAs("operator");
    await until(async () => {
      const { streams } = await jetstreamManager(connection);
      return (await streams.info(STREAM).catch(() => undefined))?.state.messages !== 0;
    });
    await connection.close();
    await cluster.backup("writer", "stranger");
    const stranger = await startOther("stranger", keyFile("other"));
    await until(async () => {
      const answer = await fetch(`${metricsAddress(stranger.greeting)}/ready`);
      const { reasons } = (await answer.json()) as { reasons: string[] };
      return reasons.includes("no message of the stream is sealed with this node's key");
    });
  });
});
