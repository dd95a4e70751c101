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
import { until } from "@cambium/test-utils/rpc-client";
import { hasNatsServer, NatsServer } from "@cambium/test-utils/servers/nats-server";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { Objm } from "@nats-io/obj";
import type { NatsConnection } from "@nats-io/transport-node";
import type { CopiedFile, CopyManifest } from "../src/copies/manifest.js";
import { CopyStore } from "../src/copies/store.js";
import { uploadCopy } from "../src/copies/upload.js";
import { CopyPublisher, connectTo, fetchCopy, Publisher, type SealedStream, sealedStream } from "../src/index.js";

const KEYS = { genesis: new Uint8Array(32).fill(1), keys: [new Uint8Array(32).fill(2)] };
const TABLE = 1;
const HEAD = { number: 7, hash: new Uint8Array(32).fill(7) };
const HOUR = 3_600_000;

describe("a copy of a database in the object store", function () {
  this.timeout(60_000);
  let folder: string;
  let server: NatsServer;
  let streams = 0;
  let address: SealedStream;
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

  /** Fetches the copy; resolves to the lines of the log. */
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

  /** A copy of a few batches. */
  async function made(): Promise<void> {
    publish();
    await write(1, 3);
    await published();
    await uploadCopy(connection, options(), signal);
  }

  async function manifest(): Promise<CopyManifest> {
    return (await (await CopyStore.open(connection, address))!.manifest())!.manifest;
  }

  async function tableOf(): Promise<CopiedFile> {
    return (await manifest()).files.find(({ name }) => name.endsWith(".ldb"))!;
  }

  const chunks = (name: string) => `$O.${address.stream}-copy.C.${name}`;
  const description = (name: string) => `$O.${address.stream}-copy.M.${Buffer.from(name).toString("base64")}`;

  /** Replaces an object by parts, like a faulty store. */
  async function replaceBy(name: string, ...parts: Uint8Array[]): Promise<void> {
    const manager = await jetstreamManager(connection);
    await manager.streams.purge(`OBJ_${address.stream}-copy`, { filter: chunks(name) });
    for (const part of parts) await jetstream(connection).publish(chunks(name), part);
  }

  /** Returns the first warning of an attempt to fetch the copy, and then aborts it. */
  async function firstWarning(): Promise<string> {
    const stopped = new AbortController();
    const warning = new Promise<string>((resolve) => {
      const warn = (details: object) => resolve(String((details as { reason?: string }).reason));
      const fetching = fetchCopy({ connection, address, location: copy, logger: { ...SILENT, warn } }, stopped.signal);
      ends.push(() => fetching);
    });
    const text = await warning;
    stopped.abort();
    return text;
  }

  before(async function () {
    if (!hasNatsServer()) this.skip();
    server = await NatsServer.start();
  });

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-copies-"));
    address = sealedStream({ servers: [server.url], stream: `copies-${++streams}` }, KEYS);
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
    const { files } = await manifest();
    const expected = files.filter(({ size }) => size > 0).map(({ sha256 }) => sha256);
    assert.deepEqual([...(await store!.names())].sort(), [...new Set(expected)].sort());
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

  it("is refused if a file is another one, truncated, missing or longer than described", async () => {
    await made();
    const { sha256, size } = await tableOf();
    const other = new Uint8Array(size);
    const lies: Uint8Array[][] = [
      [other],
      [other.subarray(1)],
      [],
      [other, new Uint8Array(1)],
      [new Uint8Array(0), other],
    ];
    for (const parts of lies) {
      await replaceBy(sha256, ...parts);
      await assert.rejects(fetched(), { code: "COPY_DAMAGED" });
    }
    assert.equal(hasDatabase(copy), false);
  });

  it("is given up at once if a file never ends", async () => {
    await made();
    const { sha256 } = await tableOf();
    const publisher = kept((await connectTo(address, SILENT, signal))!);
    let isEnding = false;
    const endless = (async () => {
      while (!isEnding) {
        publisher.publish(chunks(sha256), new Uint8Array(100_000));
        await publisher.flush();
      }
    })();
    await assert.rejects(fetched(), { code: "COPY_DAMAGED" });
    isEnding = true;
    await endless;
  });

  it("is fetched as a whole if another one replaces it meanwhile", async () => {
    await made();
    const { get } = CopyStore.prototype;
    CopyStore.prototype.get = async function (...file) {
      CopyStore.prototype.get = get;
      await write(4, 5);
      await published();
      await uploadCopy(connection, options(), signal);
      return get.apply(this, file);
    };
    await fetched();
    assert.equal((await content(copy)).length, 5);
  });

  it("is refused if its description names files elsewhere", async () => {
    await made();
    const { files, ...other } = await manifest();
    const moved = files.map((file) => (file.name === "CURRENT" ? { ...file, name: "../CURRENT" } : file));
    await (await CopyStore.open(connection, address))!.complete({ ...other, files: moved });
    await assert.rejects(fetched(), { code: "COPY_MANIFEST" });
  });

  it("is awaited while its description is one of another program, key, network or stream", async () => {
    await made();
    const own = await manifest();
    const { stream, servers } = address;
    const others = [
      sealedStream(address, { ...KEYS, keys: [new Uint8Array(32).fill(3)] }),
      sealedStream(address, { ...KEYS, keys: [] }),
      sealedStream(address, { ...KEYS, genesis: new Uint8Array(32) }),
      { stream, servers, seal: sealedStream({ servers, stream: "other" }, KEYS).seal },
    ];
    for (const other of others) {
      await (await CopyStore.open(connection, other))!.complete(own);
      assert.match(await firstWarning(), /compare the key files/);
    }
    for (const junk of [
      "",
      "{}",
      "null",
      `{"nuid":"${"0".repeat(64)}"}`,
      `{"name":"manifest","options":{"link":{}}}`,
    ]) {
      await jetstream(connection).publish(description("manifest"), junk);
      assert.match(await firstWarning(), /has not made one|compare the key files/);
    }
    assert.equal(hasDatabase(copy), false);
  });

  it("is described again by the writer after another program has replaced the description", async () => {
    await made();
    const own = await manifest();
    let looks = 0;
    const isReady = () => ++looks > 0;
    kept(new CopyPublisher({ ...options(), interval: HOUR, connection, isReady, logger: SILENT }));
    // The first check has read the description before the second one.
    await until(async () => looks >= 2);
    await jetstream(connection).publish(description("manifest"), "junk");
    const store = (await CopyStore.open(connection, address))!;
    await until(async () => (await store.manifest()) !== undefined);
    assert.deepEqual(await manifest(), own);
  });

  it("is made although other programs have put objects into the bucket", async () => {
    await CopyStore.create(connection, address, 1);
    const client = jetstream(connection);
    await client.publish(description("junk"), "not JSON");
    await client.publish(description("manifest"), "not JSON");
    await client.publish(`${description("x")}.y`, "{}");
    await client.publish(chunks("junk"), "junk");
    const link = { name: "link", bucket: "elsewhere", options: { link: { bucket: "elsewhere", name: "link" } } };
    await client.publish(description("link"), JSON.stringify(link));
    await made();
    await fetched();
    assert.equal((await content(copy)).length, 3);
    const manager = await jetstreamManager(connection);
    const { state } = await manager.streams.info(`OBJ_${address.stream}-copy`, { subjects_filter: ">" });
    const names = new Set((await manifest()).files.filter(({ size }) => size > 0).map(({ sha256 }) => sha256));
    assert.equal(Object.keys(state.subjects!).length, 2 * names.size + 2);
  });

  it("can be read with the tools of NATS", async () => {
    await made();
    const { sha256, size } = await tableOf();
    const store = await new Objm(connection).open(`${address.stream}-copy`);
    assert.equal((await store.getBlob(sha256))!.length, size);
    assert.equal((await store.info(sha256))!.size, size);
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
      return (await manifest()).last.sequence === 200;
    });
    await fetched();
    assert.equal((await content(copy)).length, 200);
    await publisher.close();
  });
});
