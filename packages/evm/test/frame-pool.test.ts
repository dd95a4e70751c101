import assert from "node:assert/strict";
import { FramePool } from "../src/frame.js";

const DEPTH = 400;
const MEGABYTE = 2 ** 20;

describe("Memories of frames (spec/04 §5.4)", () => {
  it("are kept for the next frame of their depth only while they are small", () => {
    const pool = new FramePool();
    const memories = Array.from({ length: DEPTH }, (_, depth) => pool.memory(depth));
    for (const memory of memories) {
      memory.grow(MEGABYTE / 2 + 32);
      memory.release();
    }
    const kept = memories.reduce((sum, { bytes }) => sum + bytes.length, 0);
    assert.ok(kept <= 32 * MEGABYTE, `${kept} bytes`);
  });
});
