import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { encodeRlp, fromHex, keccak256, numberToBytes, type RlpInput, utf8 } from "@cambium/primitives";
import { protocolsOf } from "../../src/libp2p/wire/protocols.js";
import { MIB } from "../../src/shared/limits.js";
import { malformed } from "./assertions.js";
import { sampleHeader } from "./samples.js";

const protocols = protocolsOf(NETWORKS.local);
const HASH = keccak256(utf8("block"));
const MAX = Number.MAX_SAFE_INTEGER;

function hashes(count: number): Uint8Array[] {
  return Array.from({ length: count }, () => HASH);
}

function numbers(...values: number[]): Uint8Array[] {
  return values.map(numberToBytes);
}

describe("limits of messages", () => {
  it("allow as many hashes as their protocol does, and at least one", () => {
    for (const [name, limit] of [
      ["bodies", 32],
      ["blocks", 16],
      ["txs", 256],
    ] as const) {
      const protocol = protocols[name];
      const largest = protocol.encodeRequest(hashes(limit));
      assert.equal(protocol.items(protocol.decodeRequest(largest)), limit);
      assert(largest.length <= protocol.bounds.requestBytes);
      assert.equal(protocol.bounds.frames(limit), limit);
      malformed(() => protocol.decodeRequest(protocol.encodeRequest(hashes(limit + 1))), /more than/);
      malformed(() => protocol.decodeRequest(protocol.encodeRequest([])), /no hashes|no heights/);
    }
  });

  it("of heights, headers and skeletons", () => {
    const heights = (count: number) => protocols.hashes.encodeRequest(new Array(count).fill(MAX));
    assert(heights(64).length <= protocols.hashes.bounds.requestBytes);
    assert.equal(protocols.hashes.items(protocols.hashes.decodeRequest(heights(64))), 64);
    for (const count of [0, 65]) malformed(() => protocols.hashes.decodeRequest(heights(count)));

    const headers = (count: number) => protocols.headers.encodeRequest({ hash: HASH, count });
    assert.equal(protocols.headers.items(protocols.headers.decodeRequest(headers(192))), 192);
    assert.equal(protocols.headers.bounds.frames(192), 192);
    for (const count of [0, 193]) malformed(() => protocols.headers.decodeRequest(headers(count)));

    const skeleton = (count: number) => protocols.skeleton.encodeRequest({ start: MAX, count });
    assert(skeleton(64).length <= 64);
    assert.equal(protocols.skeleton.decodeRequest(skeleton(64)).count, 64);
    for (const count of [0, 65]) malformed(() => protocols.skeleton.decodeRequest(skeleton(count)));
    malformed(() => protocols.skeleton.decodeRequest(encodeRlp(numbers(0, 1, 191))), /step/);
  });

  it("of snapshots", () => {
    const blocks = protocols["snap-blocks"];
    assert.equal(blocks.items(2), 1);
    assert.equal(blocks.items(401), 400);
    assert.equal(blocks.items(402), 400);
    assert.equal(blocks.decodeRequest(blocks.encodeRequest(2)), 2);
    malformed(() => blocks.decodeRequest(blocks.encodeRequest(1)), /no blocks below/);
    malformed(() => protocols["snap-status"].decodeRequest(encodeRlp(numbers(0))));
    malformed(
      () => protocols["snap-status"].decodeItem(encodeRlp([[], [], numberToBytes(1)]), undefined, 0),
      /no blocks/,
    );
  });

  it("of frames grow with the gas limit", () => {
    for (const name of ["bodies", "blocks", "snap-blocks", "snap-status"] as const) {
      const { bounds } = protocols[name];
      assert.equal(bounds.frameBytes(6_800_000n), 4 * MIB);
      assert.equal(bounds.frameBytes(12_582_912n), 4 * MIB);
      assert.equal(bounds.frameBytes(12_582_915n), 4 * MIB + 1);
      assert.equal(bounds.frameBytes(90_000_000n), 30_000_000);
      assert(bounds.totalBytes(300_000_000n) >= bounds.frameBytes(300_000_000n));
    }
    assert.equal(protocols.bodies.bounds.totalBytes(6_800_000n), 16 * MIB);
    assert.equal(protocols.headers.bounds.frameBytes(90_000_000n), 16_384);
    assert.equal(protocols.headers.bounds.totalBytes(90_000_000n), 1.5 * MIB);
  });

  it("of transactions in a body, so that a frame of empty lists costs little", () => {
    const body = (count: number) =>
      protocols.bodies.encodeItem({
        hash: HASH,
        transactions: new Array(count).fill(encodeRlp([])),
        uncles: encodeRlp([]),
        extension: undefined,
      });
    assert.equal(protocols.bodies.decodeItem(body(65_536), [HASH], 0).transactions.length, 65_536);
    malformed(() => protocols.bodies.decodeItem(body(65_537), [HASH], 0), /more than 65536/);
  });

  it("charge for items, not for requests", () => {
    const { rate } = protocols.bodies;
    assert.deepEqual(rate, { tokens: 2000, window: 10_000, total: 4000 });
    assert.deepEqual(protocols.blocks.rate, { tokens: 64, window: 10_000, total: 320 });
    assert.deepEqual(protocols.headers.rate, { tokens: 1920, window: 10_000 });
    assert.deepEqual(protocols.status.rate, { tokens: 5, window: 15_000 });
  });
});

describe("answers that do not match their request", () => {
  it("have more items than requested, or another one", () => {
    const { network, header } = sampleHeader(0);
    const { headers } = protocolsOf(network);
    const bytes = headers.encodeItem(header);
    assert(headers.decodeItem(bytes, { hash: HASH, count: 2 }, 1));
    malformed(() => headers.decodeItem(bytes, { hash: HASH, count: 2 }, 2), /more items/);
    malformed(() => headers.decodeItem(bytes, { hash: HASH, count: 2 }, 0), /not the requested one/);

    const list = encodeRlp([HASH]);
    malformed(() => protocols.txs.decodeItem(list, [HASH], 0), /not the requested one/);
    malformed(() => protocols.txs.decodeItem(list, [keccak256(list)], 1), /more items/);
    malformed(() => protocols["snap-blocks"].decodeItem(encodeRlp([]), 401, 400), /more items/);
    malformed(() => protocols.goodbye.decodeItem(encodeRlp([]), 1, 0), /that has none/);
  });

  it("are chunks of another block or offset, or empty ones", () => {
    const protocol = protocols["snap-chunk"];
    const item = { blockNumber: 5000, from: 51_200, to: 102_400, complete: false, encoded: HASH };
    assert.deepEqual(protocol.decodeItem(protocol.encodeItem(item), item, 0), item);
    malformed(() => protocol.decodeItem(protocol.encodeItem(item), { ...item, from: 0 }, 0), /not the requested one/);
    malformed(
      () => protocol.decodeItem(protocol.encodeItem(item), { ...item, blockNumber: 1 }, 0),
      /not the requested one/,
    );
    malformed(() => protocol.decodeItem(protocol.encodeItem({ ...item, to: item.from }), item, 0), /from/);
  });

  it("have another number of hashes", () => {
    const { hashes: protocol } = protocols;
    assert.deepEqual(protocol.decodeItem(protocol.encodeItem([undefined, HASH]), [1, 2], 0), [undefined, HASH]);
    for (const heights of [[1], [1, 2, 3]]) {
      malformed(() => protocol.decodeItem(protocol.encodeItem([undefined, HASH]), heights, 0));
    }
    malformed(() => protocol.decodeItem(encodeRlp([HASH.subarray(1)]), [1], 0), /31 bytes/);
  });

  it("are skeletons with wrong heights", () => {
    const { skeleton } = protocols;
    const decode = (start: number, count: number, ...places: number[]) =>
      skeleton.decodeItem(skeleton.encodeItem(places.map((number) => ({ hash: HASH, number }))), { start, count }, 0);
    assert.equal(decode(1000, 64, 960).length, 1);
    assert.equal(decode(1000, 64, 960, 1152, 1300).length, 3);
    assert.equal(decode(1000, 64, 960, 1152, 1344).length, 3);
    assert.equal(decode(0, 2, 0, 1).length, 2);
    malformed(() => decode(1000, 64), /empty/);
    malformed(() => decode(1000, 2, 960, 1152, 1344), /more than 2/);
    malformed(() => decode(1000, 64, 1000), /instead of/);
    malformed(() => decode(1000, 64, 959), /instead of/);
    malformed(() => decode(1000, 64, 960, 1100, 1344), /instead of/);
    malformed(() => decode(1000, 64, 960, 960), /instead of/);
    malformed(() => decode(1000, 64, 960, 1153), /instead of/);
  });
});

describe("status", () => {
  const fields: RlpInput[] = [
    ...numbers(1, 33),
    HASH,
    numberToBytes(5),
    HASH,
    HASH,
    ...numbers(10, 0, 1, 30333),
    utf8("x".repeat(64)),
  ];
  const decodeWith = (index: number, value: RlpInput) =>
    protocols.status.decodeRequest(encodeRlp(fields.map((field, i) => (i === index ? value : field))));

  it("ignores unknown fields", () => {
    const status = protocols.status.decodeRequest(encodeRlp(fields));
    assert.equal(status.clientId.length, 64);
    assert.deepEqual(protocols.status.decodeRequest(encodeRlp([...fields, utf8("new"), []])), status);
    malformed(() => protocols.status.decodeRequest(encodeRlp(fields.slice(0, 10))), /10 items/);
  });

  it("has fields within their limits", () => {
    malformed(() => decodeWith(0, numberToBytes(2)), /version/);
    malformed(() => decodeWith(2, HASH.subarray(1)), /31 bytes/);
    malformed(() => decodeWith(6, numberToBytes(0)), /zero/);
    assert.equal(decodeWith(6, new Uint8Array(16).fill(255)).totalDifficulty, (1n << 128n) - 1n);
    malformed(() => decodeWith(6, fromHex(`01${"00".repeat(16)}`)), /more than 16/);
    assert.equal(decodeWith(9, numberToBytes(65_535)).listenPort, 65_535);
    malformed(() => decodeWith(9, numberToBytes(65_536)), /more than 65535/);
    malformed(() => decodeWith(10, utf8("x".repeat(65))), /more than 64/);
    malformed(() => decodeWith(10, fromHex("ff")), /UTF-8/);
    assert.equal(decodeWith(3, numberToBytes(MAX)).bestNumber, MAX);
    malformed(() => decodeWith(3, fromHex("20000000000000")), /more than/);
    malformed(() => decodeWith(3, fromHex("0005")), /leading zero/);
    malformed(() => decodeWith(3, []), /a list/);
  });
});
