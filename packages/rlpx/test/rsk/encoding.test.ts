import assert from "node:assert/strict";
import { encodeRlp, fromHex, keccak256, RawRlp, type RlpInput, toHex, utf8 } from "@cambium/primitives";
import { RlpxError } from "../../src/errors.js";
import { decodeMessage, encodeMessage } from "../../src/rsk/encoding.js";
import { MESSAGES } from "../../src/rsk/formats.js";
import { MAX_ANNOUNCED_BLOCKS, MAX_HEADERS, MAX_PAYLOAD_BYTES, MIB, SMALL_BYTES } from "../../src/rsk/limits.js";
import { RANGE_VERSION } from "../../src/rsk/versions.js";
import { messageOf, typeOf } from "./fields.js";
import { catalogue, conversations, malformedCases } from "./recordings.js";

const isRsk = ({ code }: { code: number }) => code >= 0x10;
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
    const expected = Array.from({ length: 26 }, (_, i) => i + 1).filter((number) => ![4, 5, 19].includes(number));
    assert.deepEqual(
      numbers.sort((a, b) => a - b),
      expected,
    );
    const recorded = new Set(
      catalogue()
        .filter(isRsk)
        .map(({ name }) => typeOf(name)),
    );
    // The deployed client does not know version 63.
    const known = Object.keys(MESSAGES).filter((name) => name !== "blockRange");
    assert.deepEqual([...recorded].sort(), ["networkStatus", ...known].sort());
  });

  for (const { name, code, payload, fields, note } of catalogue().filter((message) => isRsk(message))) {
    it(`${name} ${note ?? toHex(payload).slice(0, 24)}`, () => {
      const message = messageOf(name, fields);
      assert.deepEqual(decodeMessage(code, payload), message);
      assert.deepEqual(encodeMessage(message), { code, payload });
    });
  }
});

describe("recorded conversations", () => {
  for (const { name, messages } of conversations()) {
    const own = messages.filter((message) => isRsk(message) && !message.name.startsWith("code"));
    if (own.length === 0) continue;
    it(`${name}: ${own.length} messages`, () => {
      for (const { name, code, payload, fields } of own) {
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
  const HASH = keccak256(utf8("block"));
  const ids = (count: number) => Array.from({ length: count }, () => [HASH, seven]);
  const heightOf = (height: RlpInput) => {
    const message = decodeMessage(0x18, request(height));
    return message.type === "blockHashRequest" ? message.height : undefined;
  };

  it("reads all recorded input but that for which the deployed client closes the connection", () => {
    const refusals = malformedCases().filter(({ input }) => (input.sent ?? []).some(isRefused));
    assert.deepEqual(
      refusals.map(({ name }) => name),
      ["status 4 items", "status short hash", "frame split in two", "block empty", "block genesis"],
    );
    assert.ok(refusals.every(({ closed }) => closed));
    const closed = malformedCases().filter((one) => one.closed && one.input.code === 0x18);
    const read = closed.filter(({ input }) => !isRefused(input)).map(({ name }) => name);
    assert.deepEqual(read, []);
  });

  it("refuses other codes of the capability", () => {
    for (const code of [0x11, 0x12, 0x13, 0x17, 0x19, 0x20, 0x118])
      refused(() => decodeMessage(code, Uint8Array.of(0xc0)));
  });

  it("refuses types that do not exist, and those of version 63 under 62", () => {
    for (const type of [0, 4, 5, 19, 26, 127, 128]) refused(() => decodeMessage(0x18, envelope(type, [])));
    const range = encodeMessage({ type: "blockRange", earliest: 2, latest: 5, latestHash: HASH });
    refused(() => decodeMessage(range.code, range.payload), /26/);
    assert.equal(decodeMessage(range.code, range.payload, RANGE_VERSION).type, "blockRange");
    for (const type of [0, 4, 27, 28, 255]) {
      assert.throws(() => decodeMessage(0x18, envelope(type, []), RANGE_VERSION), { code: "UNKNOWN_MESSAGE" });
    }
  });

  it("reads the type from its first byte", () => {
    const body = encodeRlp([seven, HASH]);
    assert.equal(decodeMessage(0x18, encodeRlp([[Uint8Array.of(1, 0), body]])).type, "status");
    refused(() => decodeMessage(0x18, encodeRlp([[Uint8Array.of(0, 1), body]])));
  });

  it("reads envelopes of another form, but none without a body", () => {
    const body = encodeRlp([seven, [seven]]);
    const type = Uint8Array.of(8);
    const bad: RlpInput[] = [
      new RawRlp(new Uint8Array(0)),
      [],
      [[]],
      [type, body],
      [[type, new Uint8Array(0)]],
      [[type]],
    ];
    for (const form of bad) refused(() => decodeMessage(0x18, encodeRlp(form)));
    const good: RlpInput[] = [
      [[type, new RawRlp(body)]],
      [
        [type, body],
        [type, body],
      ],
      [[type, body, type]],
    ];
    const expected = { type: "blockHashRequest", id: 7n, height: 7 };
    for (const form of good) assert.deepEqual(decodeMessage(0x18, encodeRlp(form)), expected);
    const valid = request(seven);
    assert.deepEqual(decodeMessage(0x18, Uint8Array.of(...valid, 0)), decodeMessage(0x18, valid));
    refused(() => decodeMessage(0x18, valid.subarray(0, -1)));
  });

  it("cuts numbers to 64 and 32 bits, and reads no height that is not safe", () => {
    const nine = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 7);
    for (const height of [Uint8Array.of(0, 7), nine]) assert.equal(heightOf(height), 7);
    assert.equal(heightOf(new Uint8Array(0)), 0);
    assert.equal(heightOf(new Uint8Array(8).fill(0xff)), 0);
    assert.equal(heightOf(Uint8Array.of(0x20, 0, 0, 0, 0, 0, 0)), Number.MAX_SAFE_INTEGER);
    for (const [id, expected] of [
      [Uint8Array.of(0), 0n],
      [nine, 7n],
      [new Uint8Array(8).fill(0xff), 2n ** 64n - 1n],
    ] as const) {
      const message = decodeMessage(0x18, request(seven, id));
      assert.equal("id" in message && message.id, expected);
    }
    for (const [count, expected] of [
      [Uint8Array.of(1, 0, 0, 0, 7), 7],
      [new Uint8Array(4).fill(0xff), 0],
    ] as const) {
      const message = decodeMessage(0x18, envelope(9, [seven, [HASH, count]]));
      assert.equal(message.type === "blockHeadersRequest" && message.count, expected);
    }
  });

  it("ignores further elements, and reads contents in strings", () => {
    const expected = decodeMessage(0x18, request(seven, seven));
    for (const body of [
      [seven, [seven], seven],
      [seven, [seven, seven]],
      [seven, encodeRlp([seven])],
    ] as RlpInput[]) {
      assert.deepEqual(decodeMessage(0x18, envelope(8, body)), expected);
    }
    const list = encodeRlp([seven]);
    for (const transaction of [list, new RawRlp(list)]) {
      assert.deepEqual(decodeMessage(0x18, envelope(7, [transaction])), { type: "transactions", transactions: [list] });
    }
    const body = (uncle: RlpInput) => decodeMessage(0x18, envelope(15, [seven, [[], [uncle]]]));
    assert.deepEqual(body(list), body(new RawRlp(list)));
    refused(() => decodeMessage(0x18, envelope(7, [seven])), /not a list/);
    refused(() => decodeMessage(0x18, envelope(15, [seven, [[]]])));
    refused(() => decodeMessage(0x18, envelope(8, [seven])));
  });

  it("reads no hash from other than 32 bytes, and needs that of genesis", () => {
    for (const value of [new Uint8Array(31), new Uint8Array(33), new Uint8Array(0), [HASH]] as RlpInput[]) {
      assert.deepEqual(decodeMessage(0x18, envelope(3, [value])), { type: "getBlock", hash: new Uint8Array(0) });
    }
    const status = (genesis: Uint8Array) => encodeRlp([Uint8Array.of(62), seven, seven, seven, genesis]);
    assert.equal(decodeMessage(0x10, status(HASH)).type, "networkStatus");
    refused(() => decodeMessage(0x10, status(HASH.subarray(1))), /31 bytes/);
  });

  it("reads a Status of two, four and more elements", () => {
    const status = (...elements: Uint8Array[]) => decodeMessage(0x18, envelope(1, [seven, HASH, ...elements]));
    const two = { type: "status", bestNumber: 7, bestHash: HASH };
    const four = { ...two, bestParentHash: HASH, totalDifficulty: 7n };
    assert.deepEqual(status(), two);
    refused(() => status(HASH), /3 items/);
    assert.deepEqual(status(HASH, seven), four);
    assert.deepEqual(status(HASH, seven, Uint8Array.of(3)), { ...four, earliestBlock: 3 });
    assert.deepEqual(status(HASH, seven, new Uint8Array(0), seven), { ...four, earliestBlock: 0 });
  });

  it("refuses a negative difficulty, and reads none above 128 bits", () => {
    const difficultyOf = (difficulty: Uint8Array) => {
      const message = decodeMessage(0x18, envelope(1, [seven, HASH, HASH, difficulty]));
      return message.type === "status" ? message.totalDifficulty : undefined;
    };
    assert.equal(difficultyOf(Uint8Array.of(0, 0x80)), 128n);
    assert.equal(difficultyOf(Uint8Array.of(0, 0, 1)), 1n);
    assert.equal(difficultyOf(new Uint8Array(0)), 0n);
    assert.equal(difficultyOf(new Uint8Array(18).fill(1)), 2n ** 128n - 1n);
    refused(() => difficultyOf(Uint8Array.of(0x80)), /negative/);
  });

  it("bounds counts and bytes", () => {
    const headers = decodeMessage(0x18, envelope(10, [seven, [Array.from({ length: 500 }, () => [])]]));
    // One header more than may be requested, so that the excess is visible.
    assert.equal(headers.type === "blockHeadersResponse" && headers.headers.length, MAX_HEADERS + 1);
    const announced = decodeMessage(0x18, envelope(6, ids(MAX_ANNOUNCED_BLOCKS + 1)));
    assert.equal(announced.type === "newBlockHashes" && announced.blocks.length, MAX_ANNOUNCED_BLOCKS);
    refused(() => decodeMessage(0x18, envelope(3, [new Uint8Array(SMALL_BYTES)])), /bytes/);
    refused(() => decodeMessage(0x10, new Uint8Array(SMALL_BYTES + 1)), /bytes/);
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
