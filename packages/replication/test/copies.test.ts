import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  attachLevelDatabase,
  BatchLogReader,
  batchLogMemory,
  type Database,
  hasDatabase,
  openLevelDatabase,
} from "@cambium/database";
import { numberToBytes } from "@cambium/primitives";
import { hasNatsServer, NatsServer } from "@cambium/test-utils/nats-server";
import { until } from "@cambium/test-utils/rpc-client";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { jetstreamManager } from "@nats-io/jetstream";
import { type ObjectStore, Objm } from "@nats-io/obj";
import type { NatsConnection } from "@nats-io/transport-node";
import { CopyStore } from "../src/copies/store.js";
import { uploadCopy } from "../src/copies/upload.js";
import { CopyPublisher, connectTo, fetchCopy, Publisher, type StreamAddress } from "../src/index.js";

const TABLE = 1;
const HEAD = { number: 7, hash: new Uint8Array(32).fill(7) };
const HOUR = 3_600_000;

describe("a copy of a database in the object store", function () {
  this.timeout(60_000);
  let folder: string;
  let server: NatsServer;
  let streams = 0;
  let address: StreamAddress;
  let connection: NatsConnection;
  let location: string;
  let copy: string;
  let database: Database;
  let log: BatchLogReader;
  const ends: (() => Promise<unknown>)[] = [];
  const { signal } = new AbortController();

  function kept<T extends { close(): Promise<unknown> }>(part: T): T {
    ends.push(() => part.close());
    return part;
  }

  async function open(): Promise<void> {
    connection = kept((await connectTo(address, SILENT, signal))!);
    kept(await openLevelDatabase(location, { create: true }));
    const memory = batchLogMemory();
    log = kept(await BatchLogReader.open(location, { memory }));
    database = kept(await attachLevelDatabase(location, { log: { memory, maxBytes: 50_000_000 } }));
  }

  async function close(): Promise<void> {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  }

  const options = () => ({ address, location, maxRate: 1e9, redundancy: 1 });

  function publish(maxBytes = 100_000_000): Publisher {
    const retention = { maxAge: HOUR, maxBytes };
    const parts = { address, connection, log, retention, redundancy: 1, head: () => HEAD, logger: SILENT };
    return kept(new Publisher(parts, assert.fail));
  }

  async function write(from: number, to: number, length = 100): Promise<void> {
    for (let key = from; key <= to; key++) {
      const value = Buffer.alloc(length, `${key} of many`);
      await database.write([{ table: TABLE, key: numberToBytes(key), value }]);
    }
  }

  async function published(): Promise<void> {
    const manager = await jetstreamManager(connection);
    await until(async () => {
      const { state } = await manager.streams.info(address.stream).catch(() => ({ state: { last_seq: -1 } }));
      return state.last_seq >= log.latest;
    });
  }

  /** Fetches the copy; resolves to what the log says about it. */
  async function fetched(): Promise<{ fetched: number; warnings: string[] }> {
    let bytes = Number.NaN;
    const warnings: string[] = [];
    const logger = {
      ...SILENT,
      info: (details: object) => {
        if ("fetched" in details) bytes = Number(details.fetched);
      },
      warn: (details: object) => void warnings.push(String((details as { reason?: string }).reason)),
    };
    assert.equal(await fetchCopy({ connection, address, location: copy, logger }, signal), true);
    return { fetched: bytes, warnings };
  }

  async function content(at: string): Promise<string[]> {
    const opened = await openLevelDatabase(at);
    const entries: string[] = [];
    for await (const { key, value } of opened.entries(TABLE)) {
      entries.push(`${Buffer.from(key).toString("hex")} ${Buffer.from(value).toString("hex")}`);
    }
    await opened.close();
    return entries;
  }

  async function objects(): Promise<ObjectStore> {
    return new Objm(connection).open(`${address.stream}-copy`);
  }

  before(async function () {
    if (!hasNatsServer()) this.skip();
    server = await NatsServer.start();
  });

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-copies-"));
    address = { servers: [server.url], stream: `copies-${++streams}` };
    location = join(folder, "writer");
    copy = join(folder, "replica");
    await open();
  });

  afterEach(async () => {
    await close();
    rmSync(folder, { recursive: true });
  });

  after(async () => {
    await server?.remove();
  });

  it("equals the database at its last batch", async () => {
    publish();
    await write(1, 50);
    await published();
    const made = await uploadCopy(connection, options(), signal);
    assert.deepEqual([made!.last.sequence, made!.last.hash], [50, log.linkOf(50)!.hash]);
    assert.equal(existsSync(`${location}.copy`), false);
    await write(51, 60);
    await fetched();
    assert.equal((await content(copy)).length, 50);
  });

  it("is made of the files that changed, and has no others", async () => {
    await write(1, 20, 500_000);
    // LevelDB turns its log into a table.
    await close();
    await open();
    publish();
    await published();
    const first = await uploadCopy(connection, options(), signal);
    assert.equal(first!.sentBytes, first!.bytes);
    const unfinished = kept((await connectTo(address, SILENT, signal))!);
    unfinished.publish(`$O.${address.stream}-copy.C.unfinished`, "of a killed writer");
    await unfinished.flush();
    await write(21, 22);
    await published();
    const second = await uploadCopy(connection, options(), signal);
    assert.equal(second!.last.sequence, 22);
    assert.ok(second!.sentBytes < second!.bytes / 2, `${second!.sentBytes} of ${second!.bytes}`);
    const store = await CopyStore.open(connection, address);
    const { files } = (await store!.manifest())!;
    assert.deepEqual(
      [...(await store!.names())].sort(),
      ["manifest", ...new Set(files.map(({ sha256 }) => sha256))].sort(),
    );
    const manager = await jetstreamManager(connection);
    const { state } = await manager.streams.info(`OBJ_${address.stream}-copy`, { subjects_filter: "$O.*.C.*" });
    assert.ok(!Object.keys(state.subjects!).some((subject) => subject.endsWith(".unfinished")));
    await fetched();
    assert.equal((await content(copy)).length, 22);
  });

  it("is fetched without the files that an interrupted attempt has fetched", async () => {
    publish();
    await write(1, 20, 500_000);
    await published();
    await close();
    await open();
    publish();
    await write(21, 22);
    await uploadCopy(connection, options(), signal);
    await fetched();
    const interrupted = `${copy}.fetched`;
    renameSync(copy, interrupted);
    const tables = readdirSync(interrupted).filter((name) => name.endsWith(".ldb"));
    const sizes = tables.map((name) => statSync(join(interrupted, name)).size);
    rmSync(join(interrupted, tables[0]!));
    writeFileSync(join(interrupted, tables[1]!), "damaged");
    writeFileSync(join(interrupted, "000001.ldb.part"), "half of a file");
    const expected = sizes[0]! + sizes[1]!;
    assert.equal((await fetched()).fetched, expected);
    assert.equal((await content(copy)).length, 22);
  });

  it("is refused if a file is another one than described", async () => {
    publish();
    await write(1, 3);
    await published();
    await uploadCopy(connection, options(), signal);
    const { files } = (await (await CopyStore.open(connection, address))!.manifest())!;
    const table = files.find(({ name }) => name.endsWith(".ldb"))!;
    await (await objects()).putBlob({ name: table.sha256 }, new Uint8Array(table.size));
    await assert.rejects(fetched(), { code: "COPY_DAMAGED" });
    await (await objects()).putBlob({ name: table.sha256 }, new Uint8Array(table.size + 1));
    await assert.rejects(fetched(), { code: "COPY_DAMAGED" });
    assert.equal(hasDatabase(copy), false);
  });

  it("is refused if its description names files elsewhere", async () => {
    publish();
    await write(1, 3);
    await published();
    await uploadCopy(connection, options(), signal);
    const store = await objects();
    const text = Buffer.from((await store.getBlob("manifest"))!).toString();
    const bytes = Buffer.from(text.replace('"name":"CURRENT"', '"name":"../CURRENT"'));
    await store.putBlob({ name: "manifest" }, bytes);
    await assert.rejects(fetched(), { code: "COPY_MANIFEST" });
  });

  it("is not completed if the stream has dropped the batch after it", async () => {
    publish(2_000);
    await write(1, 3);
    await published();
    const late = assert.rejects(uploadCopy(connection, { ...options(), maxRate: 200 }, signal), { code: "COPY_LATE" });
    await until(async () => existsSync(`${location}.copy`));
    await write(4, 40);
    await late;
    assert.equal(await (await CopyStore.open(connection, address))!.manifest(), undefined);
  });

  it("is awaited, and made anew by the writer when the stream does not continue it any more", async () => {
    const publisher = publish(20_000);
    await write(1, 3);
    await published();
    const waiting = fetched();
    const parts = { ...options(), interval: HOUR, connection, logger: SILENT };
    let isReady = false;
    kept(new CopyPublisher({ ...parts, isReady: () => isReady }));
    isReady = true;
    const { warnings } = await waiting;
    assert.match(warnings[0] ?? "", /--replicate\.copies/);
    assert.equal((await content(copy)).length, 3);
    await write(4, 200);
    await published();
    await until(async () => {
      const manifest = await (await CopyStore.open(connection, address))!.manifest();
      return manifest!.last.sequence === 200;
    });
    await fetched();
    assert.equal((await content(copy)).length, 200);
    await publisher.close();
  });
});
