import assert from "node:assert/strict";
import { Transaction } from "@cambium/types";
import { outcome, type Setting, setting, signed } from "./support.js";

const FULL = "transaction pool is full";

function sets({ pool }: Setting): [number, number] {
  const { pending, queued } = pool.counts();
  return [pending, queued];
}

describe("caps", () => {
  const names = ["A", "B", "C", "D"];

  it("evict the cheapest last transactions for better paying ones", () => {
    const its = setting(names, { maxTransactions: 3 });
    const cheapest = signed("A", { nonce: 1n, gasPrice: 100n });
    const inner = signed("A", { gasPrice: 100n });
    its.pool.addAll([inner, cheapest, signed("B", { gasPrice: 200n })], { local: false });
    assert.equal(outcome(its.pool, signed("C", { gasPrice: 100n })), FULL);
    assert.equal(outcome(its.pool, signed("C", { gasPrice: 101n })), "pending");
    assert.equal(its.pool.get(cheapest.hash), undefined);
    assert.equal(its.pool.get(inner.hash)?.isPending, true);
    assert.deepEqual(sets(its), [3, 0]);
    // now the other transaction is its account's last
    assert.equal(outcome(its.pool, signed("D", { gasPrice: 101n })), "pending");
    assert.equal(its.pool.get(inner.hash), undefined);
    assert.equal(outcome(its.pool, signed("A", { gasPrice: 101n })), FULL);
  });

  it("never evict a predecessor from the same account", () => {
    const its = setting(names, { maxTransactions: 2 });
    const first = signed("A", { gasPrice: 100n });
    its.pool.addAll([first, signed("B", { gasPrice: 200n })], { local: false });
    assert.equal(outcome(its.pool, signed("A", { nonce: 1n, gasPrice: 150n })), FULL);
    assert.equal(outcome(its.pool, signed("A", { nonce: 1n, gasPrice: 300n })), "pending");
    assert.deepEqual(sets(its), [2, 0]);
    assert.equal(its.pool.get(first.hash)?.isPending, true);
  });

  it("admit replacements", () => {
    const its = setting(names, { maxTransactions: 1 });
    assert.equal(outcome(its.pool, signed("A")), "pending");
    assert.equal(outcome(its.pool, signed("A", { gasPrice: 200n })), "pending");
    assert.deepEqual(sets(its), [1, 0]);
  });

  it("evict queued transactions before pending ones", () => {
    const its = setting(names, { maxTransactions: 3 });
    its.pool.addAll([signed("A"), signed("B", { nonce: 1n, gasPrice: 9n ** 4n })], { local: false });
    assert.equal(outcome(its.pool, signed("B", { nonce: 3n, gasPrice: 9n ** 4n })), "queued");
    assert.equal(outcome(its.pool, signed("C", { gasPrice: 100n })), "pending");
    assert.deepEqual(sets(its), [2, 1]);
    assert.equal(outcome(its.pool, signed("D", { gasPrice: 100n })), "pending");
    assert.deepEqual(sets(its), [3, 0]);
    assert.equal(outcome(its.pool, signed("B", { nonce: 1n, gasPrice: 8000n })), FULL);
  });

  it("bound the queue by evicting from the account with the most transactions", () => {
    const its = setting(names, { maxQueued: 4 });
    const of = (name: string, nonce: number, gasPrice = 100n) => signed(name, { nonce: BigInt(nonce), gasPrice });
    for (const nonce of [2, 3, 4, 5]) assert.equal(outcome(its.pool, of("A", nonce)), "queued");
    assert.equal(outcome(its.pool, of("A", 6)), FULL);
    assert.equal(outcome(its.pool, of("B", 2)), "queued");
    assert.equal(outcome(its.pool, of("B", 3)), "queued");
    assert.deepEqual(new Set(its.pool.queued().map(({ transaction }) => Number(transaction.nonce))), new Set([2, 3]));
    // one of C's against two each of A and B, then two
    assert.equal(outcome(its.pool, of("C", 2)), "queued");
    assert.equal(outcome(its.pool, of("C", 3)), "queued");
    assert.equal(outcome(its.pool, of("C", 4)), FULL);
    assert.deepEqual(
      its.pool.queued().map(({ transaction }) => Number(transaction.nonce)),
      [2, 2, 2, 3],
    );
    assert.deepEqual(sets(its), [0, 4]);
  });

  it("count bytes", () => {
    const large = (name: string, gasPrice: bigint) =>
      signed(name, { gasPrice, data: new Uint8Array(30_000), gasLimit: 1_000_000n });
    const its = setting(names, { maxBytes: 100_000 });
    its.pool.addAll([large("A", 100n), large("B", 200n), large("C", 300n)], { local: false });
    assert.equal(outcome(its.pool, large("D", 100n)), FULL);
    const giant = { data: new Uint8Array(60_000), gasLimit: 1_000_000n };
    assert.equal(outcome(its.pool, signed("D", { gasPrice: 200n, ...giant })), FULL);
    assert.equal(its.pool.counts().pending, 3);
    assert.equal(outcome(its.pool, signed("D", { gasPrice: 201n, ...giant })), "pending");
    assert.equal(its.pool.counts().pending, 2);
    assert.ok(its.pool.counts().bytes <= 100_000);
  });

  it("apply to transactions queued by the loss of their predecessor", () => {
    const its = setting(names, { maxQueued: 2 });
    const all = Array.from({ length: 8 }, (_, i) => signed("A", { nonce: BigInt(i) }));
    its.pool.addAll(all, { local: false });
    its.pool.evict([all[0]!.hash], "dropped");
    assert.deepEqual(sets(its), [0, 2]);
    assert.equal(outcome(its.pool, all[0]!), "pending");
    assert.deepEqual(its.pool.ordered(), all.slice(0, 3));
  });

  it("find the cheapest after many changes", () => {
    const its = setting(names, { maxTransactions: 2 });
    const [a, b] = [signed("A", { gasPrice: 150n }), signed("B", { gasPrice: 140n })];
    for (let i = 0; i < 2000; i++) {
      its.pool.addAll([a, b], { local: false });
      its.pool.evict([a.hash, b.hash], "dropped");
    }
    its.pool.addAll([a, b], { local: false });
    assert.equal(outcome(its.pool, signed("C", { gasPrice: 140n })), FULL);
    assert.equal(outcome(its.pool, signed("C", { gasPrice: 141n })), "pending");
    assert.deepEqual(
      its.pool.ordered().map(({ gasPrice }) => gasPrice),
      [150n, 141n],
    );
  });

  it("do not keep the network message of a transaction in memory", () => {
    const its = setting(names);
    const message = new Uint8Array(1_000_000);
    const { encoded, hash } = signed("A");
    message.set(encoded, 5000);
    its.pool.add(Transaction.decode(message.subarray(5000, 5000 + encoded.length)), { local: false });
    const kept = its.pool.get(hash)!.transaction;
    assert.deepEqual(kept.encoded, encoded);
    assert.ok(kept.data.buffer.byteLength < 1000 && kept.to.buffer.byteLength < 1000);
  });
});
