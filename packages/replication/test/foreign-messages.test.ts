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
} from "@cambium/database";
import { measurementFamilies, numberToBytes } from "@cambium/primitives";
import { until } from "@cambium/test-utils/rpc-client";
import { hasNatsServer, NatsServer } from "@cambium/test-utils/servers/nats-server";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { type JetStreamManager, jetstream, jetstreamManager, type StoredMsg } from "@nats-io/jetstream";
import { headers, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node";
import { batchSubject } from "../src/connection.js";
import { connectTo, Publisher, ReplicationError, type SealedStream, Subscriber, sealedStream } from "../src/index.js";
import { pieceHeaders, readPiece } from "../src/stream-message.js";
import { MALFORMED_HEADERS, RawPublisher } from "./raw-publisher.js";

const GENESIS = new Uint8Array(32).fill(1);
const KEY = new Uint8Array(32).fill(2);
const OTHER_KEY = new Uint8Array(32).fill(3);
const TABLE = 1;
const HEAD = { number: 7, hash: new Uint8Array(32).fill(7) };

/** Returns how often a message was skipped. */
function skipped(): number {
  const family = measurementFamilies().find(({ name }) => name === "cambium_replication_foreign_messages_total");
  return family!.series.reduce((sum, one) => sum + one.values()[0]!, 0);
}

describe("messages of other programs on the stream of batches", function () {
  this.timeout(120_000);
  let folder: string;
  let server: NatsServer;
  let streams = 0;
  let address: SealedStream;
  let manager: JetStreamManager;
  let attacker: NatsConnection;
  const ends: (() => Promise<unknown>)[] = [];
  const stopped = new AbortController();

  function kept<T extends { close(): unknown }>(part: T): T {
    ends.push(async () => part.close());
    return part;
  }

  async function connection(): Promise<NatsConnection> {
    return kept((await connectTo(address, SILENT, stopped.signal))!);
  }

  interface Writer {
    location: string;
    log: BatchLogReader;
    database: Database;
  }

  async function openWriter(): Promise<Writer> {
    const location = join(folder, "writer");
    kept(await openLevelDatabase(location, { create: true }).catch(() => openLevelDatabase(location)));
    const memory = batchLogMemory();
    const log = kept(await BatchLogReader.open(location, { memory }));
    const database = kept(await attachLevelDatabase(location, { log: { memory, maxBytes: 50_000_000 } }));
    return { location, log, database };
  }

  async function publish(log: BatchLogReader, failed: (error: Error) => void = assert.fail): Promise<Publisher> {
    const retention = { maxAge: 3_600_000, maxBytes: 100_000_000 };
    const about = { address, retention, redundancy: 1, head: () => HEAD, logger: SILENT };
    return kept(new Publisher({ ...about, connection: await connection(), log }, failed));
  }

  interface Replica {
    database: Database;
    follower: BatchFollower;
    subscriber: Subscriber;
    close(): Promise<void>;
  }

  async function openReplica(failed: (error: Error) => void = assert.fail, stream = address): Promise<Replica> {
    const location = join(folder, "replica");
    const database = await openLevelDatabase(location);
    const follower = await BatchFollower.open(location, assert.fail);
    const apply = (_batch: unknown, write: () => Promise<void>) => write();
    const parts = {
      address: stream,
      connection: await connection(),
      follower,
      apply,
      best: () => HEAD,
      logger: SILENT,
    };
    const subscriber = new Subscriber(parts, failed);
    const close = async () => {
      await subscriber.close();
      await follower.close();
      await database.close();
    };
    return kept({ database, follower, subscriber, close });
  }

  async function write({ database }: Writer, from: number, to = from): Promise<void> {
    for (let key = from; key <= to; key++) {
      await database.write([{ table: TABLE, key: numberToBytes(key), value: new Uint8Array(100).fill(key) }]);
    }
  }

  async function content(database: Database): Promise<unknown[]> {
    const entries: unknown[] = [];
    for await (const { key, value } of database.entries(TABLE)) entries.push([[...key], [...value]]);
    return entries;
  }

  /** The newest message that the writer has sent. */
  async function latest(): Promise<StoredMsg> {
    const { state } = await manager.streams.info(address.stream);
    for (let seq = state.last_seq; seq > 0; seq--) {
      const message = await manager.streams.getMessage(address.stream, { seq });
      const { header, data } = message!;
      if (readPiece({ seq, headers: header, data }, address.seal) !== undefined) return message!;
    }
    return assert.fail("there is none");
  }

  /** Returns the headers of this program in a message, some with other values. */
  function changed({ header }: StoredMsg, values: Record<string, string> = {}): MsgHdrs {
    const out = headers();
    for (const key of header.keys()) if (key.startsWith("Cambium-")) out.set(key, values[key] ?? header.get(key));
    return out;
  }

  async function send(data: Uint8Array, about?: MsgHdrs): Promise<void> {
    await jetstream(attacker).publish(batchSubject(address), data, about && { headers: about });
  }

  /** Returns the writer's next message, as another program forges it. */
  async function forged(to: SealedStream, seqAhead = 1): Promise<{ data: Uint8Array; about: MsgHdrs }> {
    const message = await latest();
    const { batch, ...piece } = readPiece(
      { seq: message.seq, headers: message.header, data: message.data },
      address.seal,
    )!;
    const next = { sequence: batch.sequence + 1, hash: new Uint8Array(8).fill(9), previous: batch.hash };
    const { state } = await manager.streams.info(address.stream);
    const data = new Uint8Array(1_000).fill(7);
    const about = pieceHeaders({ ...piece, batch: next }, state.last_seq + seqAhead, data, to.seal);
    return { data, about };
  }

  const follows = (replica: Replica, writer: Writer) =>
    until(async () => replica.follower.last.sequence === writer.log.latest);

  before(async function () {
    if (!hasNatsServer()) this.skip();
    server = await NatsServer.start();
  });

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-foreign-"));
    address = sealedStream(
      { servers: [server.url], stream: `foreign-${++streams}` },
      { genesis: GENESIS, keys: [KEY] },
    );
    attacker = await connection();
    manager = await jetstreamManager(attacker);
  });

  afterEach(async () => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
    rmSync(folder, { recursive: true });
  });

  after(async () => {
    stopped.abort();
    await server?.remove();
  });

  /** Starts a writer with some batches in its stream, and a replica that has them. */
  async function begin(): Promise<{ writer: Writer; publisher: Publisher; replica: Replica }> {
    const writer = await openWriter();
    await copyRunningDatabase(writer.location, join(folder, "replica"));
    const publisher = await publish(writer.log);
    const replica = await openReplica();
    await write(writer, 1, 3);
    await follows(replica, writer);
    return { writer, publisher, replica };
  }

  /** Messages that a program without the key can publish. */
  const attacks: Record<string, () => Promise<void>> = {
    "without headers": () => send(new Uint8Array(100)),
    "that repeat another one": async () => {
      const message = await latest();
      await send(message.data, changed(message));
    },
    "that repeat the first one": async () => {
      const message = (await manager.streams.getMessage(address.stream, { seq: 1 }))!;
      await send(message.data, changed(message));
    },
    "with a gap": async () => send(new Uint8Array(), changed(await latest(), { "Cambium-Batch": "103" })),
    "that announce a thousand million pieces": async () =>
      send(new Uint8Array(900_000), changed(await latest(), { "Cambium-Piece": "0/999999999" })),
    "with other content": async () => send(new Uint8Array(1_000), changed(await latest())),
    "with half of the content": async () => {
      const message = await latest();
      await send(message.data.subarray(message.data.length / 2), changed(message));
    },
    "that begin a term": async () =>
      send(new Uint8Array(), changed(await latest(), { "Cambium-Piece": "0/0", "Cambium-Term": "999999" })),
    "with another base": async () =>
      send(new Uint8Array(), changed(await latest(), { "Cambium-Base": `9-${"0".repeat(16)}` })),
    "without a MAC": async () => send(new Uint8Array(), changed(await latest(), { "Cambium-Mac": "" })),
    "sealed with another key": async () => {
      const other = sealedStream(address, { genesis: GENESIS, keys: [OTHER_KEY] });
      const { data, about } = await forged(other);
      await send(data, about);
    },
    "sealed without a key": async () => {
      const { data, about } = await forged(sealedStream(address, { genesis: GENESIS, keys: [] }));
      await send(data, about);
    },
    "of another network": async () => {
      const { keys } = address.seal.keys;
      const { data, about } = await forged(sealedStream(address, { genesis: new Uint8Array(32), keys }));
      await send(data, about);
    },
    "of another stream": async () => {
      const { data, about } = await forged(sealedStream({ ...address, stream: "other" }, address.seal.keys));
      await send(data, about);
    },
    "for another place in the stream": async () => {
      const { data, about } = await forged(address, 2);
      await send(data, about);
    },
    "with headers that the client library cannot read": async () => {
      const raw = kept(await RawPublisher.open(server.port));
      for (const lines of MALFORMED_HEADERS) await raw.publish(batchSubject(address), lines, "x");
    },
  };

  const lastMessage = async () => (await manager.streams.info(address.stream)).state.last_seq;

  async function attackWith(name: string): Promise<void> {
    const before = await lastMessage();
    await attacks[name]!();
    assert.ok((await lastMessage()) > before, name);
  }

  for (const { keys, described } of [
    { keys: [KEY], described: "with a key" },
    { keys: [], described: "without a key, unless they are made for this stream" },
  ]) {
    const names = Object.keys(attacks).filter((name) => keys.length > 0 || name !== "sealed without a key");

    it(`are skipped ${described}, each before a batch`, async () => {
      address = sealedStream(address, { genesis: GENESIS, keys });
      const { writer, replica } = await begin();
      for (const [index, name] of names.entries()) {
        const before = skipped();
        await attackWith(name);
        await write(writer, 4 + index);
        await follows(replica, writer);
        assert.ok(skipped() > before, name);
      }
      assert.deepEqual(await content(replica.database), await content(writer.database));
    });

    it(`are skipped ${described}, all of them at a start`, async () => {
      address = sealedStream(address, { genesis: GENESIS, keys });
      const { writer, publisher, replica } = await begin();
      for (const name of names) await attackWith(name);
      await publisher.close();
      await replica.close();
      await write(writer, 4);
      await publish(writer.log);
      const second = await openReplica();
      await follows(second, writer);
      assert.deepEqual(await content(second.database), await content(writer.database));
      const { state } = await manager.streams.info(address.stream);
      assert.equal(state.first_seq, 1, "the writer has not emptied the stream");
    });
  }

  it("are skipped in any number and place", async () => {
    const { writer, publisher, replica } = await begin();
    await replica.close();
    for (let batch = 4; batch <= 40; batch++) {
      if (batch % 3 === 0) await send(new Uint8Array(10));
      if (batch === 20) for (let number = 0; number < 1_000; number++) attacker.publish(batchSubject(address), "junk");
      await write(writer, batch);
    }
    await until(async () => writer.log.acknowledged === 40);
    await publisher.close();
    for (let number = 0; number < 1_000; number++) attacker.publish(batchSubject(address), "junk");
    await attacker.flush();
    await publish(writer.log);
    const second = await openReplica();
    await write(writer, 41);
    await follows(second, writer);
    assert.deepEqual(await content(second.database), await content(writer.database));
  });

  it("do not end a large batch of which they are in the middle", async () => {
    const { writer, replica } = await begin();
    const large = [1, 2, 3].map((key) => ({ table: TABLE, key: numberToBytes(key), value: new Uint8Array(2_000_000) }));
    const sending = setInterval(() => attacker.publish(batchSubject(address), "junk"), 2);
    try {
      await writer.database.write(large);
      await until(async () => (await manager.streams.info(address.stream)).state.last_seq > 40);
    } finally {
      clearInterval(sending);
    }
    await follows(replica, writer);
    assert.deepEqual(await content(replica.database), await content(writer.database));
  });

  it("are skipped if they are longer than what a replica requests ahead", async () => {
    const large = await NatsServer.start("max_payload: 32MB");
    ends.push(() => large.remove());
    address = sealedStream({ servers: [large.url], stream: address.stream }, address.seal.keys);
    attacker = await connection();
    manager = await jetstreamManager(attacker);
    const { writer, replica } = await begin();
    await send(new Uint8Array(30_000_000));
    await write(writer, 4);
    await follows(replica, writer);
  });

  it("are all that a replica with another key finds, which then says that it is not ready", async () => {
    const { writer, replica } = await begin();
    await replica.close();
    const other = sealedStream(address, { genesis: GENESIS, keys: [OTHER_KEY] });
    const lost = await openReplica(assert.fail, other);
    await until(async () => lost.subscriber.lag().isForeign);
    const { state } = await manager.streams.info(address.stream);
    assert.equal(lost.subscriber.hasRead(state), false);
    await write(writer, 4);
    await until(async () => writer.log.acknowledged === 4);
    assert.equal(lost.follower.last.sequence, 3);
  });

  it("are those with the former key, once it is not accepted any more", async () => {
    const { writer, publisher, replica } = await begin();
    const [first, second] = [KEY, OTHER_KEY];
    const change = async (...keys: Uint8Array[]) => {
      address = sealedStream(address, { genesis: GENESIS, keys });
      await publisher.close();
      return publish(writer.log);
    };
    await replica.close();
    await change(second, first);
    await write(writer, 4);
    const both = await openReplica();
    await follows(both, writer);
    await both.close();
    address = sealedStream(address, { genesis: GENESIS, keys: [second] });
    const only = await openReplica();
    await write(writer, 5);
    await follows(only, writer);
    const { state } = await manager.streams.info(address.stream);
    assert.deepEqual([state.first_seq, state.last_seq], [1, 5]);
  });

  it("are what an older release has published: the writer begins behind them", async () => {
    const writer = await openWriter();
    await copyRunningDatabase(writer.location, join(folder, "replica"));
    await write(writer, 1, 3);
    await manager.streams.add({ name: address.stream, subjects: [batchSubject(address)] });
    for (const batch of writer.log.batches(1)) {
      const piece = { batch, base: writer.log.base, index: 0, count: 1, head: HEAD, term: 0 };
      const about = pieceHeaders(piece, 0, batch.packed, address.seal);
      about.delete("Cambium-Mac");
      await send(batch.packed, about);
    }
    const replica = await openReplica();
    await until(async () => replica.subscriber.lag().isForeign);
    await publish(writer.log);
    await follows(replica, writer);
    assert.equal(replica.subscriber.lag().isForeign, false);
    assert.deepEqual(await content(replica.database), await content(writer.database));
  });

  it("do not pass for acknowledgements", async () => {
    const { writer, replica } = await begin();
    const inboxes = new Set<string>();
    const answers = ["", "junk", "null", "{}", '{"stream":"x","seq":1}', '{"error":{}}', '{"error":null,"seq":"4"}'];
    attacker.subscribe(batchSubject(address), {
      callback: (_error, { reply = "" }) => {
        if (!inboxes.has(reply)) for (const text of answers) attacker.publish(reply, text);
        inboxes.add(reply);
      },
    });
    await attacker.flush();
    await write(writer, 4, 8);
    await follows(replica, writer);
    await until(async () => writer.log.acknowledged === 8);
    assert.deepEqual(await content(replica.database), await content(writer.database));
  });

  it("end a replica if they are of the writer, and lack a batch", async () => {
    const { writer, replica } = await begin();
    await replica.close();
    await write(writer, 4, 6);
    await until(async () => writer.log.acknowledged === 6);
    await manager.streams.deleteMessage(address.stream, 5);
    const failure = await new Promise<Error>((resolve) => void openReplica(resolve));
    assert.ok(failure instanceof ReplicationError);
    assert.equal(failure.details.code, "BATCHES_MISSING");
  });
});
