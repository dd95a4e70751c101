import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { concatBytes, encodeRlp, fromHex, keccak256, RawRlp, toHex, utf8 } from "@cambium/primitives";
import { fc } from "@cambium/test-utils/properties";
import {
  decodeAnnouncement,
  decodeGossipBlock,
  decodeGossipTransactions,
  encodeAnnouncement,
  GOSSIP_TOPICS,
  packTransactions,
} from "../../src/libp2p/wire/gossip.js";
import { messageId, networkLabel, protocolId, topicId } from "../../src/libp2p/wire/ids.js";
import { malformed } from "./assertions.js";
import { hash, rawList, record, totalDifficulty, uint } from "./samples.js";

/** RLP of a transaction-like list of exactly that many bytes, 56 or more of content. */
function transactionOf(bytes: number): Uint8Array {
  let item = encodeRlp([new Uint8Array(bytes)]);
  item = encodeRlp([new Uint8Array(bytes - (item.length - bytes))]);
  assert.equal(item.length, bytes);
  return item;
}

describe("gossip payloads", () => {
  it("announcements round-trip", () => {
    const arbitrary = record({ hash, number: uint, totalDifficulty });
    fc.assert(
      fc.property(arbitrary, (one) => {
        const payload = encodeAnnouncement(one);
        assert(payload.length <= GOSSIP_TOPICS["block-hash"].maxBytes(0n));
        assert.deepEqual(decodeAnnouncement(payload), one);
      }),
    );
  });

  it("transactions round-trip, however they are packed", () => {
    fc.assert(
      fc.property(fc.array(rawList, { maxLength: 200 }), (transactions) => {
        const messages = packTransactions(transactions);
        assert.equal(messages.length, Math.ceil(transactions.length / 64));
        assert.deepEqual(messages.flatMap(decodeGossipTransactions).map(toHex), transactions.map(toHex));
      }),
    );
  });

  it("a message has at most 64 transactions", () => {
    const one = new RawRlp(encodeRlp([Uint8Array.of(1)]));
    assert.equal(decodeGossipTransactions(encodeRlp(new Array(64).fill(one))).length, 64);
    malformed(() => decodeGossipTransactions(encodeRlp(new Array(65).fill(one))), /more than 64/);
    malformed(() => decodeGossipTransactions(fromHex("c0")), /empty/);
    malformed(() => decodeGossipTransactions(encodeRlp([one, Uint8Array.of(1)])), /a string among lists/);
  });

  it("a transaction has at most 128 KiB; longer ones are not sent", () => {
    const largest = transactionOf(131_072);
    assert.equal(decodeGossipTransactions(largest).length, 1);
    malformed(() => decodeGossipTransactions(transactionOf(131_073)), /too long/);
    malformed(() => decodeGossipTransactions(encodeRlp([new RawRlp(transactionOf(131_073))])), /too long/);
    assert.deepEqual(packTransactions([transactionOf(131_073)]), []);
    assert.deepEqual(packTransactions([largest]), [largest]);
  });

  it("a message has at most 132 KiB", () => {
    const limit = GOSSIP_TOPICS.tx.maxBytes(0n);
    assert.equal(limit, 135_168);
    const [first, second] = [transactionOf(100_000), transactionOf(35_164)];
    assert.deepEqual(
      packTransactions([first, second]).map((message) => message.length),
      [limit],
    );
    assert.equal(packTransactions([first, transactionOf(35_165)]).length, 2);
    const messages = packTransactions([first, second, first, second]);
    assert.deepEqual(
      messages.map((message) => message.length),
      [limit, limit],
    );
  });

  it("a block is three lists", () => {
    const block = encodeRlp([[], [], []]);
    assert.equal(decodeGossipBlock(block), block);
    for (const wrong of [
      [[], []],
      [[], [], [], []],
      [[], [], Uint8Array.of(1)],
    ]) {
      malformed(() => decodeGossipBlock(encodeRlp(wrong)));
    }
    assert.equal(GOSSIP_TOPICS.block.maxBytes(30_000_000n), 10_000_000);
  });
});

describe("ids", () => {
  it("name the network by its name and genesis block", () => {
    const label = networkLabel(NETWORKS.main, fromHex(`f88529d4${"00".repeat(28)}`));
    assert.equal(label, "main-f88529d4");
    assert.equal(protocolId("snap-status", label), "/cambium/main-f88529d4/snap-status/1");
    assert.equal(protocolId("kad", label), "/cambium/main-f88529d4/kad/1");
    assert.equal(topicId("block-hash", label), "/cambium/main-f88529d4/block-hash/1");
  });

  it("of a message depends on topic and payload", () => {
    const payload = Uint8Array.of(1, 2, 3);
    const whole = keccak256(concatBytes(utf8("/a/b"), Uint8Array.of(0), payload));
    assert.equal(toHex(messageId("/a/b", payload)), toHex(whole).slice(0, 40));
  });
});
