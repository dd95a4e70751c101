import assert from "node:assert/strict";
import { BatchPieces } from "../src/batch-pieces.js";
import type { BatchPiece } from "../src/stream-message.js";

const HEAD = { number: 7, hash: new Uint8Array(32) };

function piece(sequence: number, index: number, count: number): BatchPiece {
  const link = { sequence, hash: new Uint8Array(8).fill(sequence), previous: new Uint8Array(8) };
  return { batch: link, base: link, index, count, term: 0, head: HEAD };
}

describe("the pieces of batches", () => {
  let pieces: BatchPieces;

  beforeEach(() => {
    pieces = new BatchPieces("stream");
  });

  const add = (...[sequence, index, count, content = [index]]: [number, number, number, number[]?]) =>
    pieces.add(piece(sequence, index, count), Uint8Array.from(content))?.batch.packed;

  it("are put together in their order", () => {
    assert.deepEqual(add(1, 0, 1, [5]), Uint8Array.of(5));
    assert.equal(add(2, 0, 3), undefined);
    assert.equal(add(2, 1, 3), undefined);
    assert.deepEqual(add(2, 2, 3), Uint8Array.of(0, 1, 2));
  });

  it("begin again with the first one, and when another term begins", () => {
    add(1, 0, 3);
    add(1, 0, 2);
    assert.deepEqual(add(1, 1, 2), Uint8Array.of(0, 1));
    add(2, 0, 2);
    assert.equal(add(1, 0, 0), undefined);
    assert.throws(() => add(2, 1, 2), { code: "BATCHES_MISSING" });
  });

  it("are refused if one is missing, repeated, or of another batch or number", () => {
    assert.throws(() => add(1, 1, 2), { code: "BATCHES_MISSING" });
    for (const [sequence, index, count] of [
      [1, 2, 3],
      [1, 1, 4],
      [2, 1, 3],
    ] as const) {
      add(1, 0, 3);
      assert.throws(() => add(sequence, index, count), { code: "BATCH_DAMAGED" });
    }
  });

  it("are refused beyond a thousand million bytes", () => {
    const content = new Uint8Array(100_000_000);
    for (let index = 0; index < 10; index++) assert.equal(pieces.add(piece(1, index, 1_000), content), undefined);
    assert.throws(() => pieces.add(piece(1, 10, 1_000), Uint8Array.of(1)), { code: "BATCH_DAMAGED" });
  });
});
