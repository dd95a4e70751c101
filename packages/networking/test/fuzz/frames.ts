import assert from "node:assert/strict";
import type { FuzzTarget } from "@cambium/test-utils/fuzz-target";
import type { Stream } from "@libp2p/interface";
import { FrameReader, frameOf } from "../../src/libp2p/requests/frames.js";

const MAX_BYTES = 1000;
const TIMEOUTS = { firstByte: 1000, whole: 1000 };

/** The part of a stream that the reader uses; the stream has ended. */
class EndedStream extends EventTarget {
  readonly readableEnded = true;
  readonly readBufferLength = 0;
  readonly readStatus = "readable";

  receive(data: Uint8Array): void {
    this.dispatchEvent(Object.assign(new Event("message"), { data }));
  }
}

export const targets: Readonly<Record<string, FuzzTarget>> = {
  /** The frames of a stream, cut at positions that depend on the bytes. */
  frames: {
    seeds: () => [frameOf(new Uint8Array(3), new Uint8Array(200)).subarray(), frameOf().subarray()],
    async run(input) {
      const stream = new EndedStream();
      const reader = new FrameReader(stream as unknown as Stream);
      for (let at = 0, end = 0; at < input.length; at = end) {
        end = at + 1 + (input[at]! % 50);
        stream.receive(input.subarray(at, end));
      }
      for (let left = input.length; ; ) {
        const outcome = await reader.read(MAX_BYTES, TIMEOUTS);
        if (outcome.kind !== "frame") return assert(["end", "oversized", "truncated"].includes(outcome.kind));
        left -= 1 + outcome.bytes.length;
        assert(left >= 0 && outcome.bytes.length <= MAX_BYTES);
      }
    },
  },
};
