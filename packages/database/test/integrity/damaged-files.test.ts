import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyDatabaseFiles, numberKey, openLevelDatabase, restoreFiles } from "@cambium/database";
import { ClassicLevel } from "classic-level";

const TABLE = 7;
/** A batch fills several pages. */
const VALUE = new Uint8Array(10_000).map((_, i) => i * 31 + (i >> 8));
const BATCHES = 30;

describe("a damaged database", () => {
  let folder: string;
  let location: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-damaged-"));
    location = join(folder, "chain");
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  async function fill(): Promise<void> {
    const database = await openLevelDatabase(location, { create: true });
    for (let i = 0; i < BATCHES; i++) await database.write([{ table: TABLE, key: numberKey(i), value: VALUE }]);
    await database.close();
  }

  /** Opening it again moves the log into a table. */
  async function moveToTable(): Promise<void> {
    await (await openLevelDatabase(location)).close();
  }

  const files = (ending: string) => readdirSync(location).filter((name) => name.endsWith(ending));

  function change(name: string, edit: (bytes: Buffer) => Buffer | undefined): void {
    const path = join(location, name);
    const bytes = readFileSync(path);
    writeFileSync(path, edit(bytes) ?? bytes);
  }

  async function refuses(reason: RegExp): Promise<void> {
    const before = readdirSync(location).sort();
    const error = await openLevelDatabase(location, { create: true }).then(
      () => undefined,
      (error) => error,
    );
    assert.equal(error?.code, "DATABASE_FILES", String(error));
    assert.match(error.message, reason);
    assert.deepEqual(readdirSync(location).sort(), before);
  }

  it("is refused and left as it is if a page in the middle of the log is zero, or one of its bits is wrong", async () => {
    await fill();
    const [log] = files(".log");
    const intact = readFileSync(join(location, log!));
    change(log!, (bytes) => void bytes.fill(0, 8 * 4096, 9 * 4096));
    await refuses(/zeros|checksum/);
    writeFileSync(join(location, log!), intact);
    change(log!, (bytes) => void (bytes[100_000]! ^= 4));
    await refuses(/checksum/);
    writeFileSync(join(location, log!), intact);
    change(log!, (bytes) => void (bytes[100]! ^= 4));
    await refuses(/checksum/);
  });

  it("opens without the latest batches if the end of the log is missing or wrong", async () => {
    await fill();
    const [log] = files(".log");
    change(log!, (bytes) => {
      bytes.fill(0, bytes.length - 5000);
      return bytes.subarray(0, bytes.length - 1000);
    });
    const database = await openLevelDatabase(location);
    assert.equal(database.get(TABLE, numberKey(BATCHES - 1)), undefined);
    for (let i = 0; i < BATCHES - 2; i++) assert.equal(database.get(TABLE, numberKey(i))?.length, VALUE.length);
    await database.close();
  });

  it("is refused if a log is missing", async () => {
    await fill();
    rmSync(join(location, files(".log")[0]!));
    await refuses(/\.log reason=it is missing/);
  });

  it("is refused if a bit of a table is wrong, or a table is shorter", async () => {
    await fill();
    await moveToTable();
    const [table] = files(".ldb");
    const { length } = readFileSync(join(location, table!));
    for (const at of [10, length >> 1, length - 60, length - 1]) {
      change(table!, (bytes) => void (bytes[at]! ^= 1));
      await refuses(/checksum|footer|index|malformed/);
      change(table!, (bytes) => void (bytes[at]! ^= 1));
    }
    change(table!, (bytes) => bytes.subarray(0, length - 4096));
    await refuses(/bytes, expected/);
  });

  it("is refused if the manifest or CURRENT is damaged or missing, and no new one is created", async () => {
    await fill();
    await moveToTable();
    const manifest = readdirSync(location).find((name) => name.startsWith("MANIFEST"))!;
    change(manifest, (bytes) => void (bytes[20]! ^= 1));
    await refuses(/MANIFEST.*checksum/);
    change(manifest, (bytes) => void (bytes[20]! ^= 1));
    const whole = readFileSync(join(location, manifest));
    change(manifest, (bytes) => bytes.subarray(0, 7 + bytes.readUInt16LE(4)));
    await refuses(/MANIFEST.*(incomplete|missing)/);
    writeFileSync(join(location, manifest), whole);
    writeFileSync(join(location, "CURRENT"), "MANIFEST-999999\n");
    await refuses(/MANIFEST-999999 reason=it is missing/);
    rmSync(join(location, "CURRENT"));
    await refuses(/CURRENT reason=it is missing/);
  });

  it("is refused if a batch is missing that LevelDB has dropped earlier", async () => {
    await fill();
    const level = new ClassicLevel<Uint8Array, Uint8Array>(location, { keyEncoding: "view", valueEncoding: "view" });
    const links = await level.keys({ gte: Uint8Array.of(0), lt: Uint8Array.of(1) }).all();
    assert.equal(links.length, BATCHES);
    await level.del(links[links.length >> 1]!);
    await level.close();
    await assert.rejects(openLevelDatabase(location), /DATABASE_FILES.*batch \d+ of 30 of writer 0 is missing/);
  });

  it("is repaired without loss if only the filter of a table, or what refers to it, is wrong", async () => {
    await fill();
    await moveToTable();
    const [table] = files(".ldb");
    const intact = readFileSync(join(location, table!));
    // The filter lies before the block that names it, which the index and the footer follow.
    const name = intact.lastIndexOf("filter.leveldb");
    for (const at of [name - 20, name]) {
      change(table!, (bytes) => void (bytes[at]! ^= 1));
      await refuses(/checksums of 1 of its blocks/);
      const copy = join(folder, `copy-${at}`);
      copyDatabaseFiles(location, copy);
      rmSync(join(copy, "CURRENT"));
      await restoreFiles(copy);
      const database = await openLevelDatabase(copy, { verify: "all" });
      for (let i = 0; i < BATCHES; i++) assert.equal(database.get(TABLE, numberKey(i))?.length, VALUE.length);
      await database.close();
      writeFileSync(join(location, table!), intact);
    }
  });

  it("is not created unless asked for, nor where a repair was interrupted", async () => {
    await assert.rejects(openLevelDatabase(location), { code: "DATABASE_MISSING" });
    assert.deepEqual(readdirSync(folder), []);
    await fill();
    renameSync(location, `${location}.repaired`);
    await assert.rejects(openLevelDatabase(location, { create: true }), /a repair was interrupted/);
    assert.deepEqual(readdirSync(folder), ["chain.repaired"]);
  });

  it("is created anew if its creation was interrupted", async () => {
    await fill();
    const manifest = readFileSync(join(location, readdirSync(location).find((name) => name.startsWith("MANIFEST"))!));
    for (const name of readdirSync(location)) rmSync(join(location, name));
    writeFileSync(join(location, "MANIFEST-000001"), manifest);
    await fill();
  });
});
