import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyRunningDatabase, type Database, numberKey, openLevelDatabase, readNumber } from "../src/index.js";

const COPIES = 8;
/** Sizes so small that tables are written, compacted and deleted all the time. */
const SIZES = { writeBufferSize: 64 * 1024, maxFileSize: 64 * 1024 };

describe("copying a database that is open", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-copy-"));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  /** Batches in order, each of which names its number in two entries. */
  function batch(number: number) {
    const value = new Uint8Array(2_000).map((_, i) => (number * 31 + i * i) & 0xff);
    return [
      { table: 1, key: numberKey(number), value },
      { table: 2, key: numberKey(0), value: numberKey(number) },
    ];
  }

  async function lastOf(copy: Database): Promise<number> {
    const latest = copy.get(2, numberKey(0));
    let count = 0;
    for await (const { key, value } of copy.entries(1)) {
      assert.equal(readNumber(key, 0), ++count);
      assert.deepEqual(Buffer.from(value), Buffer.from(batch(count)[0]!.value));
    }
    assert.equal(latest === undefined ? 0 : readNumber(latest, 0), count);
    return count;
  }

  it("shares no table with the database that its manifest does not name: LevelDB would write over it", async () => {
    const location = join(folder, "running");
    const database = await openLevelDatabase(location, { create: true, ...SIZES });
    await database.write(batch(1));
    const added = "000009.ldb";
    writeFileSync(join(location, added), "a table that is added while the copy is made");
    const to = join(folder, "copy");
    await copyRunningDatabase(location, to);
    assert(!readdirSync(to).includes(added));
    assert(readdirSync(location).includes(added));
    await database.close();
  });

  it("gives what was written before, without gaps, while tables come and go", async () => {
    const location = join(folder, "running");
    const database = await openLevelDatabase(location, { create: true, ...SIZES });
    let written = 0;
    let isWriting = true;
    const writing = (async () => {
      for (let number = 1; isWriting; number++) {
        await database.write(batch(number));
        written = number;
      }
    })();
    try {
      for (let i = 0; i < COPIES; i++) {
        const goal = written + 150;
        while (written < goal) await new Promise(setImmediate);
        const least = written;
        const to = join(folder, `copy-${i}`);
        await copyRunningDatabase(location, to);
        assert.ok(!readdirSync(to).includes("logs"));
        const copy = await openLevelDatabase(to, { verify: "all" });
        const count = await lastOf(copy);
        await copy.close();
        assert.ok(count >= least, `${count} of at least ${least}`);
      }
    } finally {
      isWriting = false;
      await writing;
    }
    // The copies did not change the database.
    assert.equal(await lastOf(database), written);
    await database.close();
    await (await openLevelDatabase(location, { verify: "all" })).close();
  });

  it("refuses one that is damaged or missing, and leaves nothing behind", async () => {
    const [location, to] = [join(folder, "damaged"), join(folder, "copy")];
    await assert.rejects(copyRunningDatabase(location, to), { code: "DATABASE_MISSING" });
    const database = await openLevelDatabase(location, { create: true });
    for (let number = 1; number <= 50; number++) await database.write(batch(number));
    await database.close();
    const log = join(location, readdirSync(location).find((name) => name.endsWith(".log"))!);
    const bytes = readFileSync(log);
    bytes.fill(0xff, 20_000, 20_100);
    writeFileSync(log, bytes);
    await assert.rejects(copyRunningDatabase(location, to), { code: "DATABASE_FILES" });
    assert.ok(!readdirSync(folder).includes("copy"));
  });
});
