import assert from "node:assert/strict";
import { decodeRlpList, encodeRlp, RawRlp, toHex } from "@cambium/primitives";
import { packSenders, Transaction } from "@cambium/types";
import { pooledSenders } from "../../src/gossip/pooled-senders.js";
import { Maker, signed, TestNode } from "./support.js";

describe("senders of a received block that the pool knows", () => {
  it("are those of its own transactions", async () => {
    const maker = await Maker.open();
    const transactions = ["cow", "cow1", "cow2"].map((name) => signed(name));
    const encoded = (await maker.make({ transactions })).encode();
    const { pool } = await TestNode.open();
    assert.equal(pooledSenders(encoded, pool), undefined);
    pool.addAll(transactions.slice(0, 2), { local: false });
    const order = decodeRlpList(encoded)[1]!.items.map(({ raw }) => toHex(raw));
    const expected = order.map((raw) =>
      transactions.slice(0, 2).find((transaction) => toHex(transaction.encoded) === raw),
    );
    assert.equal(expected.filter((transaction) => transaction !== undefined).length, 2);
    assert.deepEqual(pooledSenders(encoded, pool), packSenders(expected.map((transaction) => transaction?.sender)));
  });

  // A v of 26 is another chain id, and so another signer, but is written as 28: the decoded transactions share a hash.
  it("are not those of a transaction with the same hash and another signer", async () => {
    const names = Array.from({ length: 50 }, (_, nonce) => signed("cow", { nonce: BigInt(nonce) }));
    const transaction = names.find(({ v }) => v === 28)!;
    const items = decodeRlpList(transaction.encoded).map(
      ({ raw }, index) => new RawRlp(index === 6 ? Uint8Array.of(26) : raw),
    );
    const raw = encodeRlp(items);
    const twin = Transaction.decode(raw);
    assert.deepEqual(twin.hash, transaction.hash);
    assert.notDeepEqual(twin.sender, transaction.sender);
    const pool = {
      knownSender: (hash: Uint8Array) => (toHex(hash) === toHex(transaction.hash) ? transaction.sender : undefined),
    };
    const blockWith = (bytes: Uint8Array) => encodeRlp([[], [new RawRlp(bytes)], []]);
    assert.deepEqual(pooledSenders(blockWith(transaction.encoded), pool), transaction.sender);
    assert.equal(pooledSenders(blockWith(raw), pool), undefined);
  });
});
