import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keccak256 } from "@cambium/primitives";
import { HashFile } from "../../src/published/hash-file.js";
import { HashedContents, RecordHasher } from "../../src/published/hashed-contents.js";

describe("contents that a thread hashes", () => {
  let folder: string;
  let file: HashFile;
  let hasher: RecordHasher;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hashed-contents-"));
    file = new HashFile(join(folder, "contents"));
    hasher = new RecordHasher();
  });

  afterEach(async () => {
    await hasher.close();
    file.close();
    rmSync(folder, { recursive: true });
  });

  /** Content of this length, whose bytes differ from those of others. */
  const contentOf = (length: number) => new Uint8Array(length).fill(length % 251);

  it("are found by their hashes, each once", async () => {
    const lengths = [0, 1, 12, 13, 5_000_000, ...Array.from({ length: 700 }, (_, at) => 4 * at), 300_000, 600_000];
    const contents = new HashedContents(file, hasher);
    for (let round = 0; round < 2; round++) for (const length of lengths) await contents.add(contentOf(length));
    await contents.finish();
    file.seal();
    assert.equal(file.size, new Set(lengths).size);
    for (const length of lengths) assert.deepEqual(file.use(keccak256(contentOf(length))), contentOf(length));
    assert.equal(file.used, file.size);
  });

  it("are not added once the thread has failed", async () => {
    const contents = new HashedContents(file, { hash: () => Promise.reject(new Error("the thread ended")) });
    await contents.add(contentOf(300_000));
    await assert.rejects(Promise.resolve(contents.add(contentOf(300_000))), /the thread ended/);
    await assert.rejects(contents.finish(), /the thread ended/);
    assert.equal(file.size, 0);
  });

  it("are not added once the thread was ended", async () => {
    const contents = new HashedContents(file, hasher);
    await contents.add(contentOf(300_000));
    await hasher.close();
    await assert.rejects(contents.finish(), { code: "WORKER_CLOSED" });
    assert.equal(file.size, 0);
  });
});
