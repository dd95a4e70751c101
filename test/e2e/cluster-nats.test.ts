import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toHex } from "@cambium/primitives";
import { connectionOptions } from "@cambium/replication";
import { hasNatsServer, NatsServer, type NatsUser } from "@cambium/test-utils/nats-server";
import { type RunningNode, runCli, startNode, startReplica } from "@cambium/test-utils/node-cli";
import { RpcClient, until } from "@cambium/test-utils/rpc-client";
import { metricsAddress } from "@cambium/test-utils/scraped-metrics";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";

const NETWORK = ["--network", "local"];
const STREAM = "cambium-local";
const METRICS = ["--metrics.port", "0"];

describe("the users of packaging/cluster/nats.conf", function () {
  this.timeout(300_000);
  let folder: string;
  let nats: NatsServer;
  let running: RunningNode[];

  before(function () {
    if (!hasNatsServer()) this.skip();
  });

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-users-"));
    running = [];
    nats = await NatsServer.startShipped("local");
  });

  afterEach(async () => {
    await Promise.all(running.map((node) => node.stop("SIGKILL")));
    await nats?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  async function kept(starting: Promise<RunningNode>): Promise<RunningNode> {
    const node = await starting;
    running.push(node);
    return node;
  }

  function keyFile(name: string): string {
    const path = join(folder, name);
    writeFileSync(path, toHex(randomBytes(32)), { mode: 0o600 });
    return path;
  }

  const data = (name: string) => ["--data-dir", join(folder, name)];
  const call = ({ url }: RunningNode, method: string, ...params: unknown[]) =>
    new RpcClient(url, false).call(method, ...params);
  const head = async (node: RunningNode) => (await call(node, "eth_getBlockByNumber", "latest", false)).hash;

  const startWriter = (name: string, key: string) => {
    const shared = ["--replicate.standby", "--replicate.copies", "1", "--replicate.key-file", key];
    return kept(
      startNode(...NETWORK, ...data(name), "--mine", "--replicate", nats.urlOf("writer"), ...shared, ...METRICS),
    );
  };

  const startOther = (name: string, key: string) => {
    const from = ["--from", nats.urlOf("replica"), "--from.key-file", key];
    return kept(startReplica(...NETWORK, ...data(name), ...from, ...METRICS));
  };

  it("may do what writers, replicas and feeds need, with a key, and nothing that they do not", async () => {
    const key = keyFile("key");
    const first = await startWriter("first", key);
    await until(async () => (await call(first, "evm_mine").catch(() => undefined)) !== undefined);
    const [one, two] = [await startOther("one", key), await startOther("two", key)];
    const second = await startWriter("second", key);
    await until(async () => (await head(one)) === (await head(first)) && (await head(two)) === (await head(first)));
    const [from] = await call(first, "eth_accounts");
    const request = { from, to: from, gas: "0x5208", gasPrice: "0x0" };
    const { raw } = await call(first, "eth_signTransaction", request);
    const hash = await call(one, "eth_sendRawTransaction", raw);
    await until(async () => (await call(two, "eth_getTransactionReceipt", hash)) !== null);
    const rows = ["--to", nats.urlOf("feed"), "--rpc", one.url, "--confirmations", "0", "--to-block", "1"];
    const { status, stderr } = await runCli("feed", ...rows);
    assert.equal(status, 0, stderr);
    await until(async () => (await head(second)) === (await head(first)));
    await first.stop("SIGTERM");
    await until(async () => (await call(second, "evm_mine").catch(() => undefined)) !== undefined);
    await until(async () => (await head(one)) === (await head(second)));
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
      // The log arrives by another way: a violation that is known to come is the next one.
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
    const to = ["--replicate", nats.urlOf("writer"), "--replicate.stream", "cambium-other"];
    const open = await kept(startNode(...NETWORK, ...data("open"), ...to));
    assert.match(open.greeting, /can forge the state of replicas: set --replicate.key-file/);
    chmodSync(key, 0o644);
    for (const [command, option] of [
      ["start", "--replicate"],
      ["replica", "--from"],
    ] as const) {
      const flags = [...NETWORK, ...data("refused"), option, nats.urlOf("writer"), `${option}.key-file`, key];
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
    const { status, stderr } = await runCli("db", "backup", join(folder, "stranger"), ...NETWORK, ...data("writer"));
    assert.equal(status, 0, stderr);
    const stranger = await startOther("stranger", keyFile("other"));
    await until(async () => {
      const answer = await fetch(`${metricsAddress(stranger.greeting)}/ready`);
      const { reasons } = (await answer.json()) as { reasons: string[] };
      return reasons.includes("no message of the stream is sealed with this node's key");
    });
  });
});
