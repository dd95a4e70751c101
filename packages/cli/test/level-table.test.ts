import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { toHex, utf8 } from "@cambium/primitives";
import { withFolder } from "@cambium/test-utils/node-cli";
import { ClassicLevel } from "classic-level";
import { type TableEntry, tableEntries } from "../src/rskj-blocks/level-table.js";

type Pair = [key: string, value: string];

/** Keys with common beginnings, and values of all sizes around the size of a block of the table. */
const PAIRS: readonly Pair[] = Array.from({ length: 2000 }, (_, i) => {
  const digest = createHash("sha256").update(`${i}`).digest("hex");
  return [digest.slice(0, 2 + (i % 40)) + i, digest.repeat(i % 100)];
});

/** Table files of a database, which another program than LevelDB then reads. */
async function tables(folder: string, compression: boolean, pairs: readonly Pair[]): Promise<Buffer[]> {
  const level = new ClassicLevel(folder, { compression, blockSize: 4096 });
  await level.batch(pairs.map(([key, value]) => ({ type: "put" as const, key, value })));
  await level.compactRange("", "~");
  await level.del(pairs[0]![0]);
  // Writes a table with the deletion alone.
  await level.compactRange("~", "~~");
  await level.close();
  return readdirSync(folder)
    .filter((name) => name.endsWith(".ldb"))
    .map((name) => readFileSync(join(folder, name)));
}

describe("a table file of LevelDB", () => {
  it("is read whole, with the places of its values, also if they are deleted in another one", async () => {
    await withFolder(async (folder) => {
      const files = await tables(folder, false, PAIRS);
      const found = files.flatMap((file) =>
        [...tableEntries(file)].map(({ key, value, offset }) => {
          assert.deepEqual(file.subarray(offset, offset + value.length), value);
          return [toHex(key), toHex(value)];
        }),
      );
      const expected = PAIRS.map(([key, value]) => [toHex(utf8(key)), toHex(utf8(value))]);
      assert.equal(files.length, 2);
      assert.deepEqual(new Set(found.map(String)), new Set(expected.map(String)));
      assert.equal(found.length, expected.length);
    });
  });

  it("is refused if it is compressed, truncated or of another kind, and never read beyond its end", async () => {
    await withFolder(async (folder) => {
      const [compressed] = await tables(join(folder, "compressed"), true, PAIRS);
      assert.throws(() => all(compressed!), /^Error: it is compressed$/);
      const [file] = await tables(join(folder, "plain"), false, PAIRS.slice(0, 12));
      for (const length of [0, 20, 47, file!.length - 1]) {
        assert.throws(() => all(file!.subarray(0, length)), /^Error: it is no table of LevelDB$/);
      }
      for (let at = 0; at < file!.length; at += 1 + (at % 3)) {
        const damaged = Buffer.from(file!);
        damaged[at]! ^= 0xff;
        try {
          for (const { value, offset } of all(damaged)) assert(offset + value.length <= file!.length);
        } catch (error) {
          assert.match(`${error}`, /^Error: (?:it is|a block|an entry|a number) /);
        }
      }
    });
  });
});

function all(file: Uint8Array): TableEntry[] {
  return [...tableEntries(file)];
}
