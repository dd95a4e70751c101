import assert from "node:assert/strict";
import { concatBytes, EMPTY_BYTES, fromHex, toHex } from "@cambium/primitives";
import { type RawFrame, RawFrames } from "@cambium/test-utils/peers/raw-frames";
import { random } from "@cambium/test-utils/random";
import { SEED } from "@cambium/test-utils/seed";
import { RlpxError } from "../../src/errors.js";
import { FrameDecoder } from "../../src/transport/frame-decoder.js";
import { FrameEncoder } from "../../src/transport/frame-encoder.js";
import { MAXIMUM_BODY } from "../../src/transport/frame-format.js";
import { type RecordedSequence, recorded } from "./vectors.js";

const { sequences } = recorded<{ sequences: readonly RecordedSequence[] }>("frames.json.gz");

function secretsOf({ aes, mac, macInit }: Omit<RecordedSequence, "name" | "frames">) {
  return { aes: fromHex(aes), mac: fromHex(mac), egress: fromHex(macInit), ingress: fromHex(macInit) };
}

const SECRETS = secretsOf(sequences[0]!);
const isRlpxError =
  (code: string, pattern = /./) =>
  (error: unknown) =>
    error instanceof RlpxError && error.code === code && pattern.test(error.message);

const craft = (frame: RawFrame) => new RawFrames(SECRETS).write(frame);

/** Decodes one frame. */
function decode(frame: Uint8Array, maximumBody?: number) {
  const decoder = new FrameDecoder(SECRETS, maximumBody);
  decoder.push(frame);
  return decoder.next();
}

describe("frames", () => {
  for (const sequence of sequences) {
    it(`encodes and decodes "${sequence.name}", cut anywhere`, () => {
      const next = random(SEED);
      const encoder = new FrameEncoder(secretsOf(sequence));
      const wire = sequence.frames.map(({ code, payload, headerData, frame }) => {
        const encoded = encoder.encode(code, fromHex(payload), fromHex(headerData));
        assert.equal(toHex(encoded), frame);
        return encoded;
      });
      const bytes = concatBytes(...wire);
      for (const longest of [1, 17, 100, 5000, bytes.length]) {
        const decoder = new FrameDecoder(secretsOf(sequence));
        const frames = [];
        for (let offset = 0; offset < bytes.length; ) {
          const end = offset + 1 + Math.floor(next() * longest);
          decoder.push(bytes.subarray(offset, end));
          if (next() < 0.3) decoder.push(EMPTY_BYTES);
          for (let frame = decoder.next(); frame !== undefined; frame = decoder.next()) frames.push(frame);
          offset = end;
        }
        assert.deepEqual(
          frames.map(({ code, payload }) => [code, toHex(payload)]),
          sequence.frames.map(({ code, payload }) => [code, payload]),
        );
      }
    });
  }

  it("decodes several frames of one chunk one at a time", () => {
    const encoder = new FrameEncoder(SECRETS);
    const decoder = new FrameDecoder(SECRETS);
    const frames = [1, 2, 3].map((code) => encoder.encode(code, Uint8Array.of(0xc0)));
    decoder.push(concatBytes(...frames.slice(0, 2)));
    assert.equal(decoder.next()?.code, 1);
    decoder.push(frames[2]!);
    assert.deepEqual([decoder.next()?.code, decoder.next()?.code, decoder.next()], [2, 3, undefined]);
  });

  it("refuses wrong MACs of header and body", () => {
    const frame = new FrameEncoder(SECRETS).encode(2, Uint8Array.of(0xc0));
    for (let at = 0; at < frame.length; at++) {
      const wrong = Uint8Array.from(frame);
      wrong[at]! ^= 0x80;
      assert.throws(() => decode(wrong), isRlpxError("INVALID_FRAME", at < 32 ? /header/ : /body/));
    }
  });

  it("checks a header before its body arrives", () => {
    const encoder = () => new FrameEncoder(SECRETS);
    const large = encoder().encode(24, new Uint8Array(1000)).subarray(0, 32);
    assert.throws(() => decode(large, 1000), isRlpxError("TOO_LARGE"));
    assert.equal(decode(large, 1001), undefined);
    const noRlp = encoder().encode(24, EMPTY_BYTES, fromHex("f9ffff01")).subarray(0, 32);
    assert.throws(() => decode(noRlp), isRlpxError("INVALID_FRAME", /header data/));
  });

  it("accepts the header data that the reference client accepts", () => {
    for (const headerData of ["c0", "c180", "c28080", "c3800108", "c28001"]) {
      const frame = new FrameEncoder(SECRETS).encode(24, new Uint8Array(8), fromHex(headerData));
      assert.deepEqual(decode(frame), { code: 24, payload: new Uint8Array(8), isPart: false });
    }
  });

  it("recognises the first part of a split message", () => {
    for (const headerData of ["c3800109", "c5800182a45c", "c88001850100000000"]) {
      assert.equal(decode(new FrameEncoder(SECRETS).encode(24, new Uint8Array(8), fromHex(headerData)))?.isPart, true);
    }
  });

  it("limits the size of a body", () => {
    const encoder = new FrameEncoder(SECRETS);
    assert.throws(() => encoder.encode(24, new Uint8Array(MAXIMUM_BODY)), isRlpxError("TOO_LARGE"));
    const largest = encoder.encode(24, new Uint8Array(MAXIMUM_BODY - 1));
    assert.equal(decode(largest)?.payload.length, MAXIMUM_BODY - 1);
    assert.throws(() => decode(craft({ size: "800000", body: EMPTY_BYTES })), isRlpxError("TOO_LARGE"));
    assert.throws(() => decode(craft({ size: "ffffff", body: EMPTY_BYTES })), isRlpxError("TOO_LARGE"));
    assert.throws(() => decode(craft({ size: "000000", body: EMPTY_BYTES })), isRlpxError("INVALID_FRAME", /empty/));
  });

  it("reads codes of several bytes, and the byte 00 as 0", () => {
    const codeOf = (body: string) => decode(craft({ body: fromHex(body) }))?.code;
    assert.deepEqual([codeOf("00c0c0c0"), codeOf("820002c0"), codeOf("81ffc0c0")], [0, 2, 255]);
    for (const body of ["820100c0", "8301ffff", "c180c0c0", "85010000"]) {
      assert.throws(() => codeOf(body), isRlpxError("INVALID_FRAME", /code/));
    }
  });
});
