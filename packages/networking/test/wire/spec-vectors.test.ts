import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { decodeRlpList, encodeRlp, fromHex, keccak256, RawRlp, toHex, utf8 } from "@cambium/primitives";
import { protocolsOf } from "../../src/libp2p/wire/protocols.js";

const protocols = protocolsOf(NETWORKS.local);
const h1 = toHex(keccak256(utf8("block")));
const h2 = toHex(keccak256(utf8("parent")));

/** Returns the content of a message of `spec/07 §A.3.3`, without its envelope of type and id. */
function content(hex: string): string {
  const [envelope] = decodeRlpList(fromHex(hex));
  const [, body] = decodeRlpList(decodeRlpList(envelope!.raw)[1]!.bytes);
  return toHex(body!.raw);
}

describe("messages shared with the deployed network have its content", () => {
  it("skeleton: one more list around the answer", () => {
    const entries = [
      { hash: fromHex(h1), number: 960 },
      { hash: fromHex(h2), number: 1152 },
    ];
    const expected = content(`f856f8540db851f84f03f84cf84ae4a0${h1}8203c0e4a0${h2}820480`);
    const answer = protocols.skeleton.encodeItem(entries);
    assert.equal(toHex(encodeRlp([new RawRlp(answer)])), expected);
  });

  it("headers request", () => {
    const expected = content(`e9e809a6e502e3a0${h1}81c0`);
    assert.equal(toHex(protocols.headers.encodeRequest({ hash: fromHex(h1), count: 192 })), expected);
  });

  it("body: after its hash", () => {
    const body = { hash: fromHex(h1), transactions: [], uncles: fromHex("c0"), extension: undefined };
    assert.equal(content("c8c70f85c404c2c0c0"), "c2c0c0".slice(0, 6));
    assert.equal(toHex(protocols.bodies.encodeItem(body)), `e3a0${h1}c0c0`);
  });

  it("snapshots", () => {
    assert.equal(toHex(protocols["snap-status"].encodeRequest(undefined)), content("c6c51683c207c0"));
    assert.equal(toHex(protocols["snap-blocks"].encodeRequest(5000)), content("c9c81886c508c3821388"));
    const request = { blockNumber: 5000, from: 51_200 };
    const chunk = { ...request, to: 102_400, complete: true, encoded: fromHex("0102") };
    assert.equal(toHex(protocols["snap-chunk"].encodeRequest(request)), content("cdcc148ac909c782138882c80032"));
    const expected = content("d4d31591d009ce82010282138882c8008301900001");
    assert.equal(toHex(protocols["snap-chunk"].encodeItem(chunk)), expected);
    const total = { encoded: fromHex("c3c0c0c0"), totalDifficulty: 128n };
    assert.equal(toHex(protocols["snap-blocks"].encodeItem(total)), "c884c3c0c0c0820080");
  });
});
