import assert from "node:assert/strict";
import { fc } from "@cambium/test-utils/properties";
import { MessageMeter } from "../src/ws/message-meter.js";

const [FINAL, TEXT, PING] = [0x80, 0x01, 0x09];

/** A frame with the shortest head, masked or not. */
function shortestFrame(first: number, length: number, masked: boolean): Buffer {
  const mask = masked ? 0x80 : 0;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head.set([first, mask | (length < 126 ? length : length < 65_536 ? 126 : 127)]);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.alloc((masked ? 4 : 0) + length, 0xff)]);
}

const frames = fc.array(
  fc.record({
    first: fc.constantFrom(FINAL | TEXT, TEXT, FINAL, 0, FINAL | PING),
    length: fc.oneof(fc.nat(130), fc.integer({ min: 65_530, max: 65_540 })),
    masked: fc.boolean(),
  }),
  { maxLength: 8 },
);

describe("the meter of WebSocket messages", () => {
  it("knows what is unfinished, however the bytes arrive", () => {
    fc.assert(
      fc.property(frames, fc.integer({ min: 1, max: 70_000 }), (all, step) => {
        const meter = new MessageMeter();
        const bytes = Buffer.concat(all.map(({ first, length, masked }) => shortestFrame(first, length, masked)));
        for (let i = 0; i < bytes.length; i += step) meter.add(bytes.subarray(i, i + step));
        let message = 0;
        for (const { first, length, masked } of all) {
          const isControl = (first & 0x0f) === PING;
          if (!isControl) message = first & FINAL ? 0 : message + shortestFrame(first, length, masked).length;
        }
        const ends = all.filter(({ first }) => (first & 0x0f) !== PING && first & FINAL);
        assert.equal(meter.complete.length, ends.length);
        assert.equal(meter.unfinished, message);
        assert.equal(meter.controlFrames, all.filter(({ first }) => (first & 0x0f) === PING).length);
      }),
    );
  });

  it("counts the part of a frame, its head included", () => {
    const meter = new MessageMeter();
    const bytes = shortestFrame(FINAL | TEXT, 1_000, true);
    for (let i = 1; i < bytes.length; i++) {
      meter.add(bytes.subarray(i - 1, i));
      assert.equal(meter.unfinished, i);
    }
    meter.add(bytes.subarray(-1));
    assert.equal(meter.unfinished, 0);
  });
});
