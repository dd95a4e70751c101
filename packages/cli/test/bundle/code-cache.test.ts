import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { withFolder } from "@cambium/test-utils/node-cli";
import { CodeCache } from "../../src/bundle/code-cache.js";

const SOURCE = Buffer.from("(() => 'answer')");

/** Compiles a module with the cache in a file. Returns whether its code was known, and what it evaluates to. */
function compiled(path: string | undefined, name: string, source: Buffer, isGone = false): [boolean, unknown] {
  const cache = new CodeCache(path, () => !isGone);
  let isKnown = false;
  const script = cache.compile(name, source, (text, cachedData) => {
    isKnown = cachedData !== undefined;
    return new Script(text, { cachedData });
  });
  const result: unknown = script.runInThisContext()();
  assert.notEqual(script.cachedDataRejected, true);
  cache.keep();
  return [isKnown, result];
}

describe("code cache", () => {
  it("keeps compiled code for the next process, until the source changes", async () => {
    await withFolder(async (folder) => {
      const path = join(folder, "cambium", "cache", "entry");
      assert.deepEqual(compiled(path, "a.js", SOURCE), [false, "answer"]);
      assert.deepEqual(compiled(path, "b.js", SOURCE), [false, "answer"]);
      assert.deepEqual(compiled(path, "a.js", SOURCE), [true, "answer"]);
      assert.deepEqual(compiled(path, "b.js", SOURCE), [true, "answer"]);
      const changed = Buffer.from("(() => 'better')");
      assert.deepEqual(compiled(path, "a.js", changed), [false, "better"]);
      assert.deepEqual(compiled(path, "a.js", changed), [true, "better"]);
      assert.deepEqual(readdirSync(join(folder, "cambium", "cache")), ["entry"]);
    });
  });

  it("drops the code of modules that are gone", async () => {
    await withFolder(async (folder) => {
      const path = join(folder, "cache", "entry");
      compiled(path, "a.js", SOURCE);
      compiled(path, "b.js", SOURCE, true);
      assert.deepEqual(compiled(path, "a.js", SOURCE), [false, "answer"]);
      assert.deepEqual(compiled(path, "b.js", SOURCE), [true, "answer"]);
    });
  });

  it("does not use a damaged file, and replaces it", async () => {
    await withFolder(async (folder) => {
      const path = join(folder, "cache", "entry");
      compiled(path, "a.js", SOURCE);
      const bytes = readFileSync(path);
      for (const length of [0, 3, 10, bytes.length - 1]) {
        writeFileSync(path, bytes.subarray(0, length));
        assert.deepEqual(compiled(path, "a.js", SOURCE), [false, "answer"], `${length} bytes`);
        assert.deepEqual(readFileSync(path).length, bytes.length);
      }
      for (let at = 0; at < bytes.length; at += 7) {
        const damaged = Buffer.from(bytes);
        damaged[at]! ^= 0x40;
        writeFileSync(path, damaged);
        assert.deepEqual(compiled(path, "a.js", SOURCE)[1], "answer", `byte ${at}`);
      }
    });
  });

  it("leaves no partial file if the code cannot be written", async () => {
    await withFolder(async (folder) => {
      const path = join(folder, "cache", "entry");
      mkdirSync(path, { recursive: true });
      assert.deepEqual(compiled(path, "a.js", SOURCE), [false, "answer"]);
      assert.deepEqual(readdirSync(join(folder, "cache")), ["entry"]);
    });
  });

  it("compiles from the source without a path", () => {
    assert.deepEqual(compiled(undefined, "a.js", SOURCE), [false, "answer"]);
  });

  it("compiles from the source if the folder cannot be created", async () => {
    await withFolder(async (folder) => {
      const path = join(folder, "missing", "too", "cache", "entry");
      assert.deepEqual(compiled(path, "a.js", SOURCE), [false, "answer"]);
      assert.equal(existsSync(join(folder, "missing")), false);
    });
  });
});
