import assert from "node:assert/strict";
import type { PoolEvent } from "../src/index.js";
import { SlowSenders } from "../src/slow-senders.js";
import { outcome, setting, signed } from "./support.js";

const REFUSED = "a transaction of this account took too long to execute; try again later";
/** Seconds of the first pause. */
const PAUSE = 650;

describe("senders of slow transactions", () => {
  it("are refused, after each one twice as long", () => {
    let now = 0;
    const senders = new SlowSenders(10, () => now);
    for (const pause of [PAUSE, 2 * PAUSE, 4 * PAUSE]) {
      senders.add("a");
      now += pause - 1;
      assert(senders.isRefused("a"));
      now += 1;
      assert(!senders.isRefused("a"));
    }
    for (let i = 0; i < 100; i++) senders.add("a");
    now += 86_400;
    assert(!senders.isRefused("a"));
    senders.add("a");
    senders.forgive("a");
    assert(!senders.isRefused("a"));
    assert(senders.isEmpty);
  });

  it("are forgotten beyond a number, the oldest ones first", () => {
    const senders = new SlowSenders(2, () => 0);
    for (const sender of ["a", "b", "c"]) senders.add(sender);
    assert.deepEqual(
      ["a", "b", "c"].map((sender) => senders.isRefused(sender)),
      [false, true, true],
    );
  });
});

describe("a pool from which a slow transaction was evicted", () => {
  const slow = signed("A", { nonce: 1n });
  const evicted = () => {
    const its = setting(["A", "B"]);
    const events: PoolEvent[] = [];
    its.pool.addAll([signed("A"), slow, signed("A", { nonce: 2n })], { local: false });
    its.pool.on((event) => events.push(event));
    its.pool.evict([slow.hash], "slow");
    return { ...its, events };
  };

  it("reports it with the reason, and keeps the transactions before and behind it", () => {
    const { pool, events } = evicted();
    assert.deepEqual(events, [{ kind: "evicted", transactions: [slow], reason: "slow" }]);
    assert.deepEqual([pool.counts().pending, pool.counts().queued], [1, 1]);
  });

  it("refuses it and others of its sender for a while, from peers and from clients", () => {
    const { pool, clock } = evicted();
    for (const isLocal of [false, true]) {
      assert.equal(outcome(pool, slow, isLocal), REFUSED);
      assert.equal(outcome(pool, signed("A", { nonce: 1n, gasPrice: 500n }), isLocal), REFUSED);
    }
    assert.equal(outcome(pool, signed("B")), "pending");
    clock.now += PAUSE - 1;
    assert.equal(outcome(pool, slow), REFUSED);
    clock.now += 1;
    assert.equal(outcome(pool, signed("A")), "pending");
    assert.equal(outcome(pool, slow), "pending");
    pool.evict([slow.hash], "slow");
    clock.now += 2 * PAUSE - 1;
    assert.equal(outcome(pool, slow), REFUSED);
  });

  it("accepts the sender again when a block shows that it pays", () => {
    const { pool, chain } = evicted();
    chain.extend({ transactions: [signed("B")] });
    assert.equal(outcome(pool, slow), REFUSED);
    chain.extend({ transactions: [signed("A")] });
    assert.equal(outcome(pool, slow), "pending");
    assert.deepEqual(pool.counts().pending, 2);
  });

  it("accepts the sender again also if the pool is empty when the block arrives", () => {
    const { pool, chain } = setting(["A"]);
    const only = signed("A");
    pool.add(only, { local: false });
    pool.evict([only.hash], "slow");
    chain.extend({ transactions: [only] });
    assert.equal(outcome(pool, signed("A", { nonce: 1n })), "pending");
  });

  it("accepts the sender again when it is cleared", () => {
    const { pool } = evicted();
    pool.clear();
    assert.equal(outcome(pool, signed("A")), "pending");
  });

  it("does not take it back from an abandoned block while its sender is refused", () => {
    const { pool, chain } = setting(["A"]);
    const start = chain.head;
    const only = signed("A");
    const block = chain.extend({ transactions: [only] });
    const next = signed("A", { nonce: 1n });
    pool.add(next, { local: false });
    pool.evict([next.hash], "slow");
    const first = chain.make(start, { difficulty: 2n });
    chain.reorganise([block], [first]);
    assert.deepEqual(pool.counts(), { pending: 0, queued: 0, bytes: 0 });
  });
});
