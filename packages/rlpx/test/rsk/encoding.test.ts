import assert from "node:assert/strict";
import { encodeRlp, fromHex, keccak256, RawRlp, type RlpInput, toHex, utf8 } from "@cambium/primitives";
import { RlpxError } from "../../src/errors.js";
import { decodeMessage, encodeMessage } from "../../src/rsk/encoding.js";
import { MESSAGES } from "../../src/rsk/formats.js";
import { MAX_ANNOUNCED_BLOCKS, MAX_HEADERS, MAX_PAYLOAD_BYTES, MIB } from "../../src/rsk/limits.js";
import { messageOf, typeOf } from "./fields.js";
import { catalogue, conversations, malformedCases } from "./recordings.js";

const isRsk = ({ code }: { code: number }) => code >= 0x10;
const isShortStatus = ({ note }: { note: string | undefined }) => note?.startsWith("two elements") === true;

/** The recorder tried it; the answer had another id. */
const BEYOND_IDS = `${2n ** 64n - 1n}`;

function refused(run: () => unknown, reason = /./): void {
  assert.throws(run, (error) => {
    assert(error instanceof RlpxError, String(error));
    assert.equal(error.code, "MALFORMED", error.message);
    assert.match(error.message, reason);
    return true;
  });
}

function isRefused({ code, payload }: { code: number; payload?: string }): boolean {
  if (payload === undefined || code < 0x10) return false;
  try {
    decodeMessage(code, fromHex(payload));
    return false;
  } catch (error) {
    assert(error instanceof RlpxError, String(error));
    return true;
  }
}

/** `[[type, item(body)]]`. */
function envelope(type: number, body: RlpInput): Uint8Array {
  return encodeRlp([[Uint8Array.of(type), encodeRlp(body)]]);
}

describe("messages of the rsk capability", () => {
  it("covers every type of the specification", () => {
    const numbers = Object.values(MESSAGES).map(({ number }) => number);
    const expected = Array.from({ length: 25 }, (_, i) => i + 1).filter((number) => ![4, 5, 19].includes(number));
    assert.deepEqual(
      numbers.sort((a, b) => a - b),
      expected,
    );
    const recorded = new Set(
      catalogue()
        .filter(isRsk)
        .map(({ name }) => typeOf(name)),
    );
    assert.deepEqual([...recorded].sort(), ["networkStatus", ...Object.keys(MESSAGES)].sort());
  });

  for (const { name, code, payload, fields, note } of catalogue().filter((message) => isRsk(message))) {
    if (isShortStatus({ note })) continue;
    it(`${name} ${note ?? toHex(payload).slice(0, 24)}`, () => {
      const message = messageOf(name, fields);
      assert.deepEqual(decodeMessage(code, payload), message);
      assert.deepEqual(encodeMessage(message), { code, payload });
    });
  }

  it("refuses a Status of two elements", () => {
    const [short] = catalogue().filter(isShortStatus);
    refused(() => decodeMessage(short!.code, short!.payload), /2 items instead of 4/);
  });
});

describe("recorded conversations", () => {
  for (const { name, messages } of conversations()) {
    const own = messages.filter((message) => isRsk(message) && !message.name.startsWith("code"));
    if (own.length === 0) continue;
    it(`${name}: ${own.length} messages`, () => {
      for (const { name, code, payload, fields } of own) {
        if (fields.id === BEYOND_IDS) {
          refused(() => decodeMessage(code, payload), /id/);
          continue;
        }
        const message = decodeMessage(code, payload);
        assert.equal(message.type, typeOf(name));
        if ("id" in message) assert.equal(message.id, BigInt(fields.id));
        assert.deepEqual(encodeMessage(message), { code, payload });
      }
    });
  }
});

describe("messages that the deployed client never sends", () => {
  const request = (height: RlpInput, id: RlpInput = Uint8Array.of(98)) => envelope(8, [id, [height]]);
  const seven = Uint8Array.of(7);
  const zeros = (count: number) => Array.from({ length: count }, () => [new Uint8Array(32), new Uint8Array(0)]);

  it("accepts all recorded input but this", () => {
    const refusals = malformedCases().filter(({ input }) => (input.sent ?? []).some(isRefused));
    assert.deepEqual(
      refusals.map(({ name }) => name),
      [
        "status 4 items",
        "status 6 items",
        "status short hash",
        "frame split in two",
        "tx as string",
        "block empty",
        "block as list",
        "block genesis",
      ],
    );
  });

  it("refuses other codes of the capability", () => {
    for (const code of [0x11, 0x12, 0x13, 0x17, 0x19, 0x20, 0x118])
      refused(() => decodeMessage(code, Uint8Array.of(0xc0)));
  });

  it("refuses types that do not exist", () => {
    for (const type of [0, 4, 5, 19, 26, 127, 128]) refused(() => decodeMessage(0x18, envelope(type, [])));
    refused(() => decodeMessage(0x18, encodeRlp([[Uint8Array.of(1, 0), encodeRlp([])]])), /256/);
  });

  it("refuses envelopes of another form", () => {
    const body = encodeRlp([seven, [seven]]);
    const type = Uint8Array.of(8);
    const forms: RlpInput[] = [
      new RawRlp(new Uint8Array(0)),
      [],
      [[]],
      [type, body],
      [[type, new Uint8Array(0)]],
      [[type, new RawRlp(body)]],
      [
        [type, body],
        [type, body],
      ],
      [[type, body, type]],
      [[Uint8Array.of(0, 8), body]],
    ];
    for (const form of forms) refused(() => decodeMessage(0x18, encodeRlp(form)));
    const valid = request(seven);
    assert.equal(decodeMessage(0x18, valid).type, "blockHashRequest");
    refused(() => decodeMessage(0x18, Uint8Array.of(...valid, 0)));
    refused(() => decodeMessage(0x18, valid.subarray(0, -1)));
  });

  it("refuses contents of another form", () => {
    for (const height of [Uint8Array.of(0, 7), new Uint8Array(9).fill(1), Uint8Array.of(0x20, 0, 0, 0, 0, 0, 0)]) {
      refused(() => decodeMessage(0x18, request(height)));
    }
    for (const id of [Uint8Array.of(0), new Uint8Array(9).fill(1), new Uint8Array(8).fill(0xff)]) {
      refused(() => decodeMessage(0x18, request(seven, id)), /id/);
    }
    refused(() => decodeMessage(0x18, envelope(8, [seven, [seven], seven])));
    refused(() => decodeMessage(0x18, envelope(8, [seven, [seven, seven]])));
    refused(() => decodeMessage(0x18, envelope(8, [seven, encodeRlp([seven])])));
    for (const length of [31, 33]) refused(() => decodeMessage(0x18, envelope(3, [new Uint8Array(length)])), /32/);
    refused(() => decodeMessage(0x18, envelope(7, [encodeRlp([seven])])), /not a list/);
    refused(() => decodeMessage(0x18, envelope(15, [seven, [[]]])));
  });

  it("refuses a negative difficulty", () => {
    const hash = keccak256(utf8("block"));
    const status = (difficulty: Uint8Array) => envelope(1, [seven, hash, hash, difficulty]);
    assert.equal(decodeMessage(0x18, status(Uint8Array.of(0, 0x80))).type, "status");
    refused(() => decodeMessage(0x18, status(Uint8Array.of(0x80))), /negative/);
    refused(() => decodeMessage(0x18, status(Uint8Array.of(0, 1))));
    refused(() => decodeMessage(0x18, status(new Uint8Array(18).fill(1))));
  });

  it("bounds counts and bytes", () => {
    const headers = (count: number) => envelope(10, [seven, [Array.from({ length: count }, () => [])]]);
    assert.equal(decodeMessage(0x18, headers(MAX_HEADERS)).type, "blockHeadersResponse");
    refused(() => decodeMessage(0x18, headers(MAX_HEADERS + 1)), /more than/);
    assert.equal(decodeMessage(0x18, envelope(6, zeros(MAX_ANNOUNCED_BLOCKS))).type, "newBlockHashes");
    refused(() => decodeMessage(0x18, envelope(6, zeros(MAX_ANNOUNCED_BLOCKS + 1))), /more than/);
    refused(() => decodeMessage(0x18, envelope(3, [new Uint8Array(200)])), /bytes/);
    refused(() => decodeMessage(0x10, new Uint8Array(200)), /bytes/);
    refused(() => decodeMessage(0x18, new Uint8Array(MAX_PAYLOAD_BYTES + 1)), /bytes/);
  });

  it("does not encode what no frame takes", () => {
    const block = (bytes: number) => encodeMessage({ type: "block", block: new Uint8Array(bytes) });
    const overhead = block(MIB).payload.length - MIB;
    const largest = MAX_PAYLOAD_BYTES - overhead;
    assert.equal(block(largest).payload.length, MAX_PAYLOAD_BYTES);
    assert.throws(() => block(largest + 1), { code: "TOO_LARGE" });
  });
});
