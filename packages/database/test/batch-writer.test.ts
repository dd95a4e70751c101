import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { batchLogMemory } from "../src/batch-log.js";
import { BatchWriter } from "../src/batch-writer.js";
import type { Level } from "../src/level-opening.js";
import { packBatch, packedLength } from "../src/packed-batch.js";

/** Records written batches, and fails when the test demands it. */
class FakeLevel {
  /** Keys of each batch, and flushes, in order. */
  readonly done: (string | string[])[] = [];
  failure: Error | undefined;

  asLevel(): Level {
    return this as unknown as Level;
  }

  async *iterator(): AsyncGenerator<[Uint8Array, Uint8Array]> {}

  batch() {
    const keys: string[] = [];
    const add = (key: Uint8Array) => keys.push(key.slice(0, 2).join());
    return { put: add, del: add, write: () => this.perform(keys) };
  }

  readonly flush = () => this.perform("flush");

  private async perform(work: string | string[]): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    this.done.push(work);
  }
}

function packed(...keys: number[]): Uint8Array {
  const batch = keys.map((key) => ({ table: 1, key: Uint8Array.of(key), value: Uint8Array.of(9) }));
  const out = new Uint8Array(packedLength(batch));
  packBatch(batch, out);
  return out;
}

describe("batch writer", () => {
  it("adds a link to each batch, and flushes the latest ones when it is closed", async () => {
    const level = new FakeLevel();
    const writer = await BatchWriter.open(level.asLevel(), 1, undefined, level.flush);
    await writer.write(packed(5));
    await writer.write(packed(6, 7));
    await writer.close();
    assert.deepEqual(level.done, [["0,1", "1,5"], ["0,1", "1,6", "1,7"], "flush"]);
  });

  it("writes nothing after a failure, even if the disk works again", async () => {
    const level = new FakeLevel();
    const writer = await BatchWriter.open(level.asLevel(), 0, undefined, level.flush);
    await writer.write(packed(1));
    level.failure = new Error("ENOSPC");
    const failing = writer.write(packed(2));
    const following = writer.write(packed(3));
    await assert.rejects(failing, /ENOSPC/);
    await assert.rejects(following, /ENOSPC/);
    level.failure = undefined;
    await assert.rejects(writer.write(packed(4)), /ENOSPC/);
    await writer.close();
    assert.equal(level.done.length, 1);
  });

  it("writes on while a flush takes long, and nothing after it has failed", async () => {
    const level = new FakeLevel();
    let fail: ((error: Error) => void) | undefined;
    const flush = () => new Promise<void>((_, reject) => (fail = reject));
    const writer = await BatchWriter.open(level.asLevel(), 0, undefined, flush);
    await writer.write(packed(1));
    while (fail === undefined) await setTimeout(10);
    await writer.write(packed(2));
    fail(new Error("EIO"));
    await setTimeout(0);
    await assert.rejects(writer.write(packed(3)), /EIO/);
    await writer.close();
  });

  it("writes nothing during a flush if it keeps copies, which must reach the disk first", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cambium-writer-"));
    const level = Object.assign(new FakeLevel(), { location: folder });
    let finish: (() => void) | undefined;
    const flush = () => new Promise<void>((resolve) => (finish = resolve));
    const log = { memory: batchLogMemory(), maxBytes: 1_000_000 };
    const writer = await BatchWriter.open(level.asLevel(), 1, log, flush);
    await writer.write(packed(1));
    while (finish === undefined) await setTimeout(10);
    const writing = writer.write(packed(2));
    await setTimeout(50);
    assert.deepEqual(level.done, [["0,1", "1,1"]]);
    finish();
    await writing;
    finish = undefined;
    const closing = writer.close();
    while (finish === undefined) await setTimeout(10);
    (finish as () => void)();
    await closing;
    rmSync(folder, { recursive: true });
  });
});
