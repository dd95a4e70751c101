import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  attachLevelDatabase,
  BatchFollower,
  BatchLogReader,
  batchLogMemory,
  copyRunningDatabase,
  type Database,
  openLevelDatabase,
  type Write,
} from "@cambium/database";
import { numberToBytes } from "@cambium/primitives";
import { until } from "@cambium/test-utils/rpc-client";
import { hasNatsServer, NatsServer } from "@cambium/test-utils/servers/nats-server";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { batchSubject } from "../src/connection.js";
import { FailureLog } from "../src/failure-log.js";
import {
  Candidate,
  connectionOptions,
  connectTo,
  Lease,
  Publisher,
  ReplicationError,
  type SealedStream,
  Subscriber,
  sealedStream,
  serveRequests,
  WriterRequests,
} from "../src/index.js";

import { pieceHeaders } from "../src/stream-message.js";

const KEYS = { genesis: new Uint8Array(32).fill(1), keys: [new Uint8Array(32).fill(2)] };
const TABLE = 1;
/** Size of all pieces except the last, in bytes. */
const PIECE = 512 * 1024;
const RETENTION = { maxAge: 3_600_000, maxBytes: 100_000_000 };
const HEAD = { number: 7, hash: new Uint8Array(32).fill(7) };

function put(key: number, length = 10): Write {
  return { table: TABLE, key: numberToBytes(key), value: new Uint8Array(length).fill(key) };
}

describe("replication over JetStream", function () {
  this.timeout(60_000);
  let folder: string;
  let server: NatsServer;
  let streams = 0;
  let address: SealedStream;
  const ends: (() => Promise<unknown>)[] = [];
  const stopped = new AbortController();

  function kept<T extends { close(): Promise<unknown> }>(part: T): T {
    ends.push(() => part.close());
    return part;
  }

  async function connection(): Promise<NatsConnection> {
    return kept((await connectTo(address, SILENT, stopped.signal))!);
  }

  /** A writer with the batches so far on disk. */
  async function openWriter(name = "writer", maxBytes = 1_000_000) {
    const location = join(folder, name);
    kept(await openLevelDatabase(location, { create: true }).catch(() => openLevelDatabase(location)));
    const memory = batchLogMemory();
    const log = kept(await BatchLogReader.open(location, { memory }));
    const database = kept(await attachLevelDatabase(location, { log: { memory, maxBytes } }));
    return { location, log, database };
  }

  function publish(log: BatchLogReader, to: NatsConnection, failed: (error: Error) => void = assert.fail): Publisher {
    const options = {
      address,
      connection: to,
      log,
      retention: RETENTION,
      redundancy: 1,
      head: () => HEAD,
      logger: SILENT,
    };
    return kept(new Publisher(options, failed));
  }

  async function publishIn(term: number, log: BatchLogReader, failed: (error: Error) => void): Promise<void> {
    const about = { address, retention: RETENTION, redundancy: 1, connection: await connection(), log, term };
    kept(new Publisher({ ...about, head: () => HEAD, logger: SILENT }, failed));
  }

  async function openReplica(location: string, failed: (error: Error) => void = assert.fail, from?: NatsConnection) {
    const database = kept(await openLevelDatabase(location));
    const follower = kept(await BatchFollower.open(location, assert.fail));
    const apply = (_batch: unknown, write: () => Promise<void>) => write();
    const parts = {
      address,
      connection: from ?? (await connection()),
      follower,
      apply,
      best: () => HEAD,
      logger: SILENT,
    };
    const subscriber = kept(new Subscriber(parts, failed));
    return { database, follower, subscriber };
  }

  async function copyOf(location: string, name: string): Promise<string> {
    const copy = join(folder, name);
    await copyRunningDatabase(location, copy);
    return copy;
  }

  async function content(database: Database): Promise<unknown[]> {
    const entries: unknown[] = [];
    for await (const { key, value } of database.entries(TABLE))
      entries.push([[...key], Buffer.from(value).toString("hex")]);
    return entries;
  }

  async function closeAll(): Promise<void> {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  }

  before(async function () {
    if (!hasNatsServer()) this.skip();
    server = await NatsServer.start();
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-replication-"));
    address = sealedStream({ servers: [server.url], stream: `test-${++streams}` }, KEYS);
  });

  afterEach(async () => {
    await closeAll();
    rmSync(folder, { recursive: true });
  });

  after(async () => {
    stopped.abort();
    await server?.remove();
  });

  it("makes a copy equal to the writer's database, and keeps it so", async () => {
    const { location, log, database } = await openWriter();
    for (let key = 1; key <= 5; key++) await database.write([put(key)]);
    const copy = await copyOf(location, "replica");
    publish(log, await connection());
    const replica = await openReplica(copy);
    for (let key = 6; key <= 50; key++) await database.write([put(key), { ...put(key - 3), value: undefined }]);
    await until(async () => replica.follower.last.sequence === 50);
    assert.deepEqual(await content(replica.database), await content(database));
    assert.deepEqual(replica.subscriber.lag().target, HEAD.number);
  });

  it("reads on without a pause if batches arrive before an older answer about the end of the stream", async () => {
    const { location, log, database } = await openWriter();
    await database.write([put(1)]);
    const copy = await copyOf(location, "replica");
    publish(log, await connection());
    const from = await connection();
    const request = from.request.bind(from);
    let readers = 0;
    let overtaken = 0;
    from.request = async (subject, ...rest) => {
      if (subject.startsWith("$JS.API.CONSUMER.CREATE")) readers++;
      const answer = await request(subject, ...rest);
      if (subject.startsWith("$JS.API.STREAM.INFO") && replica !== undefined && overtaken < 4) {
        await database.write([put(3)]);
        await until(async () => replica!.follower.last.sequence === log.latest);
        overtaken++;
      }
      return answer;
    };
    let replica: Awaited<ReturnType<typeof openReplica>> | undefined;
    const opened = await openReplica(copy, assert.fail, from);
    await database.write([put(2)]);
    await until(async () => opened.follower.last.sequence === log.latest);
    replica = opened;
    await until(async () => overtaken === 4);
    assert.equal(readers, 1);
  });

  it("passes batches that are longer than a message in pieces", async () => {
    const { location, log, database } = await openWriter("writer", 50_000_000);
    const copy = await copyOf(location, "replica");
    publish(log, await connection());
    const replica = await openReplica(copy);
    await database.write([put(1, 3_000_000), put(2, 3_000_000)]);
    await database.write([put(3, 20)]);
    await until(async () => replica.follower.last.sequence === 2);
    assert.deepEqual(await content(replica.database), await content(database));
  });

  it("goes on in the middle of a batch of which a killed writer had published a part", async () => {
    const { location, log, database } = await openWriter("writer", 50_000_000);
    const copy = await copyOf(location, "replica");
    await database.write([put(1, 2_000_000)]);
    const to = await connection();
    const manager = await jetstreamManager(to);
    await manager.streams.add({ name: address.stream, subjects: [batchSubject(address)] });
    const client = jetstream(to);
    const count = Math.ceil(2_000_000 / PIECE);
    for (const batch of log.batches(1)) {
      const content = batch.packed.slice(0, PIECE);
      const piece = { batch, base: log.base, index: 0, count, head: HEAD, term: 0 };
      await client.publish(batchSubject(address), content, { headers: pieceHeaders(piece, 1, content, address.seal) });
    }
    publish(log, to);
    const replica = await openReplica(copy);
    await until(async () => replica.follower.last.sequence === 1);
    assert.deepEqual(await content(replica.database), await content(database));
    assert.equal((await manager.streams.info(address.stream)).state.messages, count);
  });

  it("publishes each batch once and in order, although writer, replica and server are killed", async () => {
    const written = 300;
    const writer = await openWriter();
    const copy = await copyOf(writer.location, "replica");
    let publisher = publish(writer.log, await connection());
    let replica = await openReplica(copy);
    const disturb = async (key: number) => {
      if (key % 100 === 20) await server.kill();
      if (key % 100 === 40) await server.restart();
      if (key % 100 === 60) {
        await publisher.close();
        publisher = publish(writer.log, await connection());
      }
      if (key % 100 === 80) {
        await replica.subscriber.close();
        await replica.follower.close();
        await replica.database.close();
        replica = await openReplica(copy);
      }
    };
    for (let key = 1; key <= written; key++) {
      await writer.database.write([put(key % 50, key)]);
      await disturb(key);
    }
    await until(async () => replica.follower.last.sequence === written);
    assert.deepEqual(await content(replica.database), await content(writer.database));
    const manager = await jetstreamManager(await connection());
    const { state } = await manager.streams.info(address.stream);
    assert.deepEqual([state.messages, state.last_seq], [written, written]);
  });

  it("is caught up from the database after a writer was away from the stream", async () => {
    await server.kill();
    const first = await openWriter();
    const copy = await copyOf(first.location, "replica");
    for (let key = 1; key <= 20; key++) await first.database.write([put(key)]);
    await closeAll();
    await server.restart();
    const { log, database } = await openWriter();
    publish(log, await connection());
    const replica = await openReplica(copy);
    await until(async () => replica.follower.last.sequence === 20);
    assert.deepEqual(await content(replica.database), await content(database));
  });

  it("refuses to go on if the stream has not the next batch any more", async () => {
    const { location, log, database } = await openWriter("writer", 100);
    const copy = await copyOf(location, "replica");
    for (let key = 1; key <= 20; key++) await database.write([put(key)]);
    publish(log, await connection());
    const failure = await new Promise<Error>((resolve) => void openReplica(copy, resolve));
    assert.ok(failure instanceof ReplicationError);
    assert.equal(failure.details.code, "BATCHES_MISSING");
  });

  it("refuses the batches of another database", async () => {
    const one = await openWriter("one");
    const other = await openWriter("other");
    for (const key of [1, 2]) await one.database.write([put(key)]);
    await other.database.write([put(9)]);
    const copy = await copyOf(other.location, "replica");
    publish(one.log, await connection());
    const failure = await new Promise<Error>((resolve) => void openReplica(copy, resolve));
    assert.ok(failure instanceof ReplicationError);
    assert.equal(failure.details.code, "OTHER_DATABASE");
  });

  it("refuses a database that was changed while the writer did not run", async () => {
    const first = await openWriter();
    await first.database.write([put(1)]);
    const copy = await copyOf(first.location, "replica");
    await closeAll();
    const maintenance = kept(await openLevelDatabase(first.location));
    await maintenance.write([put(2)]);
    await closeAll();
    const { log, database } = await openWriter();
    publish(log, await connection());
    await database.write([put(3)]);
    const failure = await new Promise<Error>((resolve) => void openReplica(copy, resolve));
    assert.ok(failure instanceof ReplicationError);
    assert.equal(failure.details.code, "OTHER_DATABASE");
  });

  it("stops a writer whose stream another one has taken over", async () => {
    const one = await openWriter("one");
    const other = await openWriter("other");
    await one.database.write([put(1)]);
    const failure = new Promise<Error>((resolve) => void connection().then((to) => publish(one.log, to, resolve)));
    await until(async () => one.log.latest === 1);
    const manager = await jetstreamManager(await connection());
    await until(async () =>
      (await manager.streams.list().next()).some(
        ({ config, state }) => config.name === address.stream && state.messages > 0,
      ),
    );
    publish(other.log, await connection());
    await other.database.write([put(2)]);
    await until(async () => (await manager.streams.info(address.stream)).state.last_seq > 1);
    await one.database.write([put(3)]);
    const error = await failure;
    assert.ok(error instanceof ReplicationError);
    assert.equal(error.details.code, "OTHER_WRITER");
  });

  function leaseOn(to: NatsConnection): Lease {
    const lease = new Lease({ address, connection: () => to, redundancy: 1 });
    ends.push(() => lease.release());
    return lease;
  }

  it("gives the lease to one node at a time, the next one when it is released", async () => {
    const [one, other] = [leaseOn(await connection()), leaseOn(await connection())];
    assert.ok(await one.acquire());
    assert.ok(!(await other.acquire()));
    await one.release();
    assert.ok(await other.acquire());
    assert.ok(!(await one.acquire()));
  });

  it("gives the lease to another node when it is not renewed, and tells the first one when it is back", async () => {
    const to = await connection();
    const [one, other] = [leaseOn(to), leaseOn(await connection())];
    assert.ok(await one.acquire());
    const lost = new Promise<void>((resolve) => {
      one.lost = resolve;
    });
    // The value is deleted as if it had expired.
    const { streams } = await jetstreamManager(await connection());
    await until(async () => {
      await streams.purge(`KV_${address.stream}-lease`);
      return other.acquire();
    });
    await lost;
    assert.ok(!one.isHeld && other.isHeld);
  });

  it("lets a standby begin a term at the end of the stream, after which the writer before publishes nothing", async () => {
    const one = await openWriter("one");
    type Chain = Pick<BatchFollower, "base" | "last" | "linkOf">;
    const begin = async (follower: Chain, subscriber: Pick<Subscriber, "hasRead">) => {
      const lease = leaseOn(await connection());
      const parts = { address, retention: RETENTION, redundancy: 1, connection: await connection(), lease };
      const about = { subscriber, follower, firstLogged: async () => undefined, head: () => HEAD, logger: SILENT };
      const term = await new Promise<number>((resolve) => {
        kept(new Candidate({ ...parts, ...about }, resolve));
      });
      return { lease, term };
    };
    const first = await begin(
      { base: one.log.base, last: one.log.linkOf(0)!, linkOf: () => undefined },
      { hasRead: () => true },
    );
    const ended = new Promise<Error>((resolve) => void publishIn(first.term, one.log, resolve));
    const copy = await copyOf(one.location, "other");
    const replica = await openReplica(copy);
    for (const key of [1, 2, 3]) await one.database.write([put(key)]);
    await until(async () => replica.follower.last.sequence === 3);
    await first.lease.release();
    const second = await begin(replica.follower, replica.subscriber);
    assert.ok(second.term > first.term);
    // Another message would replace the beginning of the term if all were sent before the first is refused.
    await Promise.all([4, 5, 6, 7, 8].map((key) => one.database.write([put(key)])));
    const error = await ended;
    assert.ok(error instanceof ReplicationError);
    assert.equal(error.details.code, "TERM_ENDED");
    const { streams } = await jetstreamManager(await connection());
    const { state } = await streams.info(address.stream);
    // Three batches and the beginnings of two terms.
    assert.equal(state.last_seq, 5);
    assert.equal(replica.follower.last.sequence, 3);
  });

  it("forwards requests to the writer, and says if there is none", async () => {
    const client = await connection();
    const requests = new WriterRequests(() => client, address);
    await assert.rejects(requests.request("{}", 5_000), { code: "WRITER_AWAY" });
    const answering = await connection();
    serveRequests(answering, address, async (text) => `answer to ${text}`, SILENT);
    await answering.flush();
    assert.equal(await requests.request("{}", 30_000), "answer to {}");
    await assert.rejects(requests.request("x".repeat(2_000_000), 30_000), { code: "REQUEST_SIZE" });
  });

  it("says what to do if the server has no space for the stream", async () => {
    const reasons: string[] = [];
    const warn = (fields: object) => reasons.push((fields as { reason: string }).reason);
    const { log } = await openWriter();
    const retention = { ...RETENTION, maxBytes: 2 ** 50 };
    const about = { address, retention, redundancy: 1, connection: await connection(), log, head: () => HEAD };
    kept(new Publisher({ ...about, logger: { ...SILENT, warn } }, assert.fail));
    await until(async () => reasons.length > 0);
    assert.match(reasons[0]!, /^the NATS server has no space .*--replicate\.max-size/);
  });
});

describe("the log of repeated failures", () => {
  it("has each reason once, until it changes or an attempt succeeds", () => {
    const lines: string[] = [];
    const log = (details: object, message: string) => void lines.push(`${message}${JSON.stringify(details)}`);
    const failures = new FailureLog({ ...SILENT, warn: log, info: log }, "publish");
    failures.succeeded();
    for (const reason of ["timeout", "timeout", "no space", "no space"]) failures.failed(new Error(reason));
    failures.succeeded();
    failures.failed(new Error("timeout"));
    assert.deepEqual(lines, [
      'Cannot publish, trying again{"reason":"timeout"}',
      'Cannot publish, trying again{"reason":"no space"}',
      "Can publish again{}",
      'Cannot publish, trying again{"reason":"timeout"}',
    ]);
  });
});

describe("addresses of NATS servers", () => {
  const options = (...servers: string[]) => connectionOptions({ servers, stream: "test" });

  it("may carry credentials, and ask for TLS", () => {
    assert.deepEqual(options("nats://127.0.0.1").servers, ["127.0.0.1:4222"]);
    const { user, pass } = options("nats://one:p%40ss@a:4223");
    assert.deepEqual([user, pass], ["one", "p@ss"]);
    assert.equal(options("nats://secret@a").token, "secret");
    assert.deepEqual(options("tls://a:1", "tls://b:2").servers, ["a:1", "b:2"]);
    assert.deepEqual(options("tls://a:1").tls, {});
  });

  it("are refused if they are malformed", () => {
    for (const text of ["", "127.0.0.1:4222", "http://a", "nats://", "nats://a/b"]) {
      assert.throws(() => options(text), { code: "SERVER_ADDRESS" }, text);
    }
  });
});
