import assert from "node:assert/strict";
import { BatchWriter } from "../src/batch-writer.js";
import type { Level } from "../src/level-opening.js";
import { packBatch, packedLength } from "../src/packed-batch.js";

interface Written {
  sync: boolean;
  keys: string[];
}

/** Records written batches, and fails when the test demands it. */
class FakeLevel {
  readonly written: Written[] = [];
  failure: Error | undefined;

  asLevel(): Level {
    return this as unknown as Level;
  }

  async *iterator(): AsyncGenerator<[Uint8Array, Uint8Array]> {}

  batch() {
    const keys: string[] = [];
    const add = (key: Uint8Array) => keys.push(key.slice(0, 2).join());
    return { put: add, del: add, write: (options: { sync: boolean }) => this.commit(keys, options.sync) };
  }

  put(key: Uint8Array, _value: Uint8Array, { sync }: { sync: boolean }): Promise<void> {
    return this.commit([key.slice(0, 2).join()], sync);
  }

  private async commit(keys: string[], sync: boolean): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    this.written.push({ keys, sync });
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
    const writer = await BatchWriter.open(level.asLevel(), 1);
    await writer.write(packed(5));
    await writer.write(packed(6, 7));
    await writer.close();
    assert.deepEqual(level.written, [
      { keys: ["0,1", "1,5"], sync: false },
      { keys: ["0,1", "1,6", "1,7"], sync: false },
      { keys: ["0,1"], sync: true },
    ]);
  });

  it("writes nothing after a failure, even if the disk works again", async () => {
    const level = new FakeLevel();
    const writer = await BatchWriter.open(level.asLevel(), 0);
    await writer.write(packed(1));
    level.failure = new Error("ENOSPC");
    const failing = writer.write(packed(2));
    const following = writer.write(packed(3));
    await assert.rejects(failing, /ENOSPC/);
    await assert.rejects(following, /ENOSPC/);
    level.failure = undefined;
    await assert.rejects(writer.write(packed(4)), /ENOSPC/);
    await writer.close();
    assert.equal(level.written.length, 1);
  });
});
