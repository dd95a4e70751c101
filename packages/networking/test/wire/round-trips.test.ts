import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { keccak256, toHex } from "@cambium/primitives";
import { fc } from "@cambium/test-utils/properties";
import { genesisBlock } from "@cambium/types";
import type { Protocol } from "../../src/libp2p/wire/protocol.js";
import { protocolsOf } from "../../src/libp2p/wire/protocols.js";
import { blockSample, hash, headerSample, rawList, record, totalDifficulty, uint } from "./samples.js";

const protocols = protocolsOf(NETWORKS.local);

function requestTrips<Request, Item>(protocol: Protocol<Request, Item>, requests: fc.Arbitrary<Request>): void {
  fc.assert(
    fc.property(requests, (request) => {
      const bytes = protocol.encodeRequest(request);
      assert(bytes.length <= protocol.bounds.requestBytes);
      assert.deepEqual(protocol.decodeRequest(bytes), request);
    }),
  );
}

function itemTrips<Request, Item>(
  protocol: Protocol<Request, Item>,
  item: Item,
  request: Request,
  index: number,
): Uint8Array {
  const bytes = protocol.encodeItem(item);
  const decoded = protocol.decodeItem(bytes, request, index);
  assert.equal(toHex(protocol.encodeItem(decoded)), toHex(bytes));
  return bytes;
}

function hashes(limit: number): fc.Arbitrary<Uint8Array[]> {
  return fc.array(hash, { minLength: 1, maxLength: limit });
}

describe("protocols", () => {
  it("have the names under which they are listed", () => {
    for (const [name, protocol] of Object.entries(protocols)) assert.equal(protocol.name, name);
  });
});

describe("messages round-trip", () => {
  it("status", () => {
    const status = record({
      chainId: uint,
      genesisHash: hash,
      bestNumber: uint,
      bestHash: hash,
      bestParentHash: hash,
      totalDifficulty,
      earliestBody: uint,
      flags: uint,
      listenPort: fc.nat(0xffff),
      clientId: fc.string({ unit: "grapheme", maxLength: 4 }).filter((text) => Buffer.byteLength(text) <= 64),
    });
    fc.assert(
      fc.property(status, (one) => {
        assert.deepEqual(protocols.status.decodeRequest(protocols.status.encodeRequest(one)), one);
        assert.deepEqual(protocols.status.decodeItem(protocols.status.encodeItem(one), one, 0), one);
      }),
    );
  });

  it("requests", () => {
    requestTrips(protocols.goodbye, uint);
    requestTrips(protocols.skeleton, record({ start: uint, count: fc.integer({ min: 1, max: 64 }) }));
    requestTrips(protocols.hashes, fc.array(uint, { minLength: 1, maxLength: 64 }));
    requestTrips(protocols.headers, record({ hash, count: fc.integer({ min: 1, max: 192 }) }));
    requestTrips(protocols.bodies, hashes(32));
    requestTrips(protocols.blocks, hashes(16));
    requestTrips(protocols.txs, hashes(256));
    requestTrips(protocols["snap-status"], fc.constant(undefined));
    requestTrips(protocols["snap-blocks"], fc.integer({ min: 2, max: Number.MAX_SAFE_INTEGER }));
    requestTrips(protocols["snap-chunk"], record({ blockNumber: uint, from: uint }));
  });

  it("skeletons", () => {
    const arbitrary = record({ start: fc.nat(), hashes: hashes(64), short: fc.nat(191) });
    fc.assert(
      fc.property(arbitrary, ({ start, hashes, short }) => {
        const first = start - (start % 192);
        const entries = hashes.map((hash, i) => ({ hash, number: first + 192 * i }));
        if (entries.length > 1) entries.at(-1)!.number -= short;
        const decoded = protocols.skeleton.decodeItem(protocols.skeleton.encodeItem(entries), { start, count: 64 }, 0);
        assert.deepEqual(decoded, entries);
      }),
    );
  });

  it("hashes", () => {
    fc.assert(
      fc.property(fc.array(fc.option(hash, { nil: undefined }), { minLength: 1, maxLength: 64 }), (answer) => {
        const heights = answer.map((_, i) => i);
        assert.deepEqual(protocols.hashes.decodeItem(protocols.hashes.encodeItem(answer), heights, 0), answer);
      }),
    );
  });

  it("headers of every version, in compressed form", () => {
    fc.assert(
      fc.property(headerSample, ({ network, header }) => {
        const { headers } = protocolsOf(network);
        const request = { hash: header.hash, count: 1 };
        itemTrips(headers, header, request, 0);
        const decoded = headers.decodeItem(headers.encodeItem(header), request, 0);
        assert.equal(decoded.hasExtension, header.version === 0);
        assert.equal(toHex(decoded.hash), toHex(header.hash));
      }),
    );
  });

  it("genesis headers of the live networks", () => {
    for (const network of [NETWORKS.main, NETWORKS.test]) {
      const { header } = genesisBlock(network, new Uint8Array(32).fill(1));
      itemTrips(protocolsOf(network).headers, header, { hash: header.hash, count: 1 }, 0);
    }
  });

  it("bodies and blocks", () => {
    fc.assert(
      fc.property(blockSample, fc.nat(3), ({ network, header, body, encoded }, index) => {
        const { bodies, blocks } = protocolsOf(network);
        const request = Array.from({ length: 4 }, (_, i) => (i === index ? header.hash : new Uint8Array(32)));
        assert.deepEqual(bodies.decodeItem(itemTrips(bodies, body, request, index), request, index), body);
        assert.equal(toHex(itemTrips(blocks, encoded, request, index)), toHex(encoded));
      }),
    );
  });

  it("transactions", () => {
    fc.assert(fc.property(rawList, (bytes) => void itemTrips(protocols.txs, bytes, [keccak256(bytes)], 0)));
  });

  it("snapshots", () => {
    const block = fc.tuple(blockSample, totalDifficulty).map(([{ encoded }, total]) => ({
      encoded,
      totalDifficulty: total,
    }));
    const chunk = record({
      blockNumber: uint,
      from: fc.nat(),
      length: fc.integer({ min: 1, max: 60_000 }),
      complete: fc.boolean(),
      encoded: rawList,
    });
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 4 }), uint, chunk, (blocks, trieSize, made) => {
        const status = { blocks, trieSize };
        const { "snap-status": statuses, "snap-blocks": below, "snap-chunk": chunks } = protocols;
        assert.deepEqual(statuses.decodeItem(statuses.encodeItem(status), undefined, 0), status);
        assert.deepEqual(below.decodeItem(below.encodeItem(blocks[0]!), 1000, 399), blocks[0]);
        const { length, ...rest } = made;
        const item = { ...rest, to: rest.from + length };
        assert.deepEqual(chunks.decodeItem(chunks.encodeItem(item), item, 0), item);
      }),
    );
  });
});
