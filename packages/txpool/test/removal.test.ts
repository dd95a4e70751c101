import assert from "node:assert/strict";
import { toHex } from "@cambium/primitives";
import type { Transaction } from "@cambium/types";
import type { PoolEvent } from "../src/index.js";
import { addressOf, outcome, RICH, type Setting, setting, signed } from "./support.js";

function sets({ pool }: Setting): { pending: number; queued: number } {
  const { pending, queued } = pool.counts();
  return { pending, queued };
}

describe("removal", () => {
  it("happens after more than 10 blocks", () => {
    const its = setting(["A"]);
    its.pool.addAll([signed("A"), signed("A", { nonce: 2n })], { local: false });
    for (let i = 0; i < 10; i++) its.chain.extend();
    assert.deepEqual(sets(its), { pending: 1, queued: 1 });
    its.chain.extend();
    assert.deepEqual(sets(its), { pending: 0, queued: 0 });
    assert.equal(outcome(its.pool, signed("A")), "pending");
  });

  it("happens after 650 seconds, unless disabled", () => {
    for (const [maxAgeSeconds, left] of [
      [650, 0],
      [0, 1],
    ] as const) {
      const its = setting(["A"], { maxAgeSeconds });
      its.pool.add(signed("A"), { local: false });
      its.clock.now += 649;
      assert.equal(its.pool.pending().length, 1);
      its.clock.now += 1;
      assert.equal(its.pool.pending().length, left);
    }
  });

  it("queues the successors of an expired transaction, and promotes them when the gap is filled", () => {
    const its = setting(["A"]);
    its.pool.add(signed("A"), { local: false });
    its.clock.now += 100;
    its.pool.addAll([signed("A", { nonce: 1n }), signed("A", { nonce: 2n })], { local: false });
    its.clock.now += 560;
    assert.equal(its.pool.pendingNonce(addressOf("A")), 0n);
    assert.deepEqual(sets(its), { pending: 0, queued: 2 });
    assert.equal(outcome(its.pool, signed("A", { value: 1n })), "pending");
    assert.deepEqual(sets(its), { pending: 3, queued: 0 });
  });

  it("evicts for the block builder and reports the reason", () => {
    const its = setting(["A"]);
    const all = [0n, 1n, 2n].map((nonce) => signed("A", { nonce }));
    its.pool.addAll(all, { local: false });
    const events: PoolEvent[] = [];
    its.pool.on((event) => events.push(event));
    its.pool.evict([all[1]!.hash, all[1]!.hash, new Uint8Array(32)], "unusable");
    its.pool.evict([new Uint8Array(32)], "unusable");
    assert.deepEqual(sets(its), { pending: 1, queued: 1 });
    assert.deepEqual(its.pool.ordered(), [all[0]]);
    assert.deepEqual(
      events.map((event) => event.kind === "evicted" && [event.transactions.length, event.reason]),
      [[1, "unusable"]],
    );
  });
});

describe("while the node catches up", () => {
  it("blocks age no transactions, time only those of peers", () => {
    const its = setting(["A", "B"]);
    its.pool.add(signed("A", { nonce: 14n }), { local: true });
    its.pool.add(signed("B"), { local: false });
    its.sync.isCatchingUp = true;
    for (let i = 0; i < 30; i++) its.chain.extend();
    assert.deepEqual(sets(its), { pending: 1, queued: 1 });
    its.clock.now += 650;
    assert.deepEqual(sets(its), { pending: 0, queued: 1 });
    its.clock.now += 6_500;
    assert.deepEqual(sets(its), { pending: 0, queued: 1 });
  });

  it("local transactions keep their order, and become pending with the block that closes their gap", () => {
    const its = setting(["A"]);
    const waiting = [signed("A", { nonce: 2n }), signed("A", { nonce: 3n })];
    its.pool.addAll(waiting, { local: true });
    its.sync.isCatchingUp = true;
    const events: PoolEvent[] = [];
    its.pool.on((event) => events.push(event));
    for (let i = 0; i < 20; i++) its.chain.extend();
    its.clock.now += 5_000;
    its.chain.extend({ transactions: [signed("A"), signed("A", { nonce: 1n })] });
    assert.deepEqual(its.pool.ordered(), waiting);
    const pending = events.filter(({ kind }) => kind === "newPending");
    assert.deepEqual(pending, [{ kind: "newPending", transactions: waiting, cause: "block" }]);
  });

  it("no transaction is older afterwards; then they age from the start", () => {
    const its = setting(["A", "B"]);
    its.pool.add(signed("A", { nonce: 4n }), { local: true });
    its.pool.add(signed("B"), { local: false });
    for (let i = 0; i < 5; i++) its.chain.extend();
    its.sync.isCatchingUp = true;
    for (let i = 0; i < 30; i++) its.chain.extend();
    its.clock.now += 600;
    its.sync.isCatchingUp = false;
    for (let i = 0; i < 5; i++) its.chain.extend();
    assert.deepEqual(sets(its), { pending: 1, queued: 1 });
    its.clock.now += 50;
    assert.deepEqual(sets(its), { pending: 0, queued: 1 });
    for (let i = 0; i < 5; i++) its.chain.extend();
    assert.deepEqual(sets(its), { pending: 0, queued: 1 });
    its.chain.extend();
    assert.deepEqual(sets(its), { pending: 0, queued: 0 });
  });

  it("a claim of peers that brings no blocks keeps no transaction for longer", () => {
    const its = setting(["A"]);
    its.pool.add(signed("A"), { local: true });
    for (let i = 0; i < 10; i++) {
      its.sync.isCatchingUp = i % 2 === 0;
      its.clock.now += 60;
      assert.deepEqual(sets(its), { pending: 1, queued: 0 });
    }
    its.sync.isCatchingUp = true;
    its.clock.now += 60;
    assert.deepEqual(sets(its), { pending: 0, queued: 0 });
  });
});

describe("expired local transactions", () => {
  it("are announced, so that the operator can see them in the log", () => {
    const its = setting(["A"]);
    const [own, others] = [signed("A"), signed("A", { nonce: 1n })];
    its.pool.add(own, { local: true });
    its.pool.add(others, { local: false });
    const events: PoolEvent[] = [];
    its.pool.on((event) => events.push(event));
    for (let i = 0; i < 11; i++) its.chain.extend();
    const expired = events.filter(({ kind }) => kind === "expired");
    assert.deepEqual(expired, [{ kind: "expired", transactions: [own] }]);
  });
});

describe("clearing", () => {
  it("resets the pool", () => {
    const its = setting(["A", "B"]);
    const all = [signed("A"), signed("A", { nonce: 1n }), signed("B", { nonce: 4n })];
    its.pool.addAll(all, { local: false });
    its.pool.clear();
    assert.deepEqual(its.pool.counts(), { pending: 0, queued: 0, bytes: 0 });
    assert.equal(its.pool.pendingNonce(addressOf("A")), 0n);
    assert.deepEqual(
      all.map((transaction) => outcome(its.pool, transaction)),
      ["pending", "pending", "queued"],
    );
  });
});

describe("a new best block", () => {
  it("removes its transactions and those it made invalid", () => {
    const its = setting(["A", "B"]);
    const [a0, a1, b0] = [signed("A"), signed("A", { nonce: 1n }), signed("B")];
    its.pool.addAll([a0, a1, b0], { local: false });
    its.chain.extend({ transactions: [a0, signed("B", { value: 5n })] });
    assert.deepEqual(its.pool.ordered(), [a1]);
    assert.equal(its.pool.pendingNonce(addressOf("A")), 2n);
    assert.equal(its.pool.pendingNonce(addressOf("B")), 1n);
  });

  it("promotes queued transactions that it makes next", () => {
    const its = setting(["A"]);
    const events: PoolEvent[] = [];
    const waiting = [signed("A", { nonce: 2n }), signed("A", { nonce: 3n })];
    its.pool.addAll(waiting, { local: false });
    its.pool.on((event) => events.push(event));
    its.chain.extend({ transactions: [signed("A"), signed("A", { nonce: 1n })] });
    assert.deepEqual(sets(its), { pending: 2, queued: 0 });
    assert.deepEqual(events, [{ kind: "newPending", transactions: waiting, cause: "block" }, { kind: "changed" }]);
  });

  it("emits one event, even if listeners modify the pool or throw", () => {
    const its = setting(["A"]);
    let events = 0;
    its.pool.on(() => {
      throw new Error("a listener's own");
    });
    its.pool.on(({ kind }) => (events += kind === "changed" ? 1 : 0));
    its.chain.extend();
    its.chain.sideBlock(its.chain.make(its.chain.head, { gasUsed: 1 }));
    assert.equal(events, 1);
    its.pool.close();
    its.chain.extend();
    assert.equal(events, 1);
  });

  it("may follow others that were missed", () => {
    const its = setting(["A"]);
    its.pool.addAll([signed("A"), signed("A", { nonce: 1n })], { local: false });
    const unseen = its.chain.make(its.chain.head, { transactions: [signed("A", { value: 9n })] });
    const seen = its.chain.make(unseen, {});
    its.chain.reorganise([], [seen]);
    assert.deepEqual(sets(its), { pending: 1, queued: 0 });
  });
});

describe("a reorganisation", () => {
  it("returns transactions that the new branch does not contain", () => {
    const its = setting(["A", "B"]);
    const [a0, a1, a2, b0, b1] = [
      signed("A"),
      signed("A", { nonce: 1n }),
      signed("A", { nonce: 2n }),
      signed("B"),
      signed("B", { nonce: 1n }),
    ];
    its.pool.addAll([a0, a1, a2, b0, b1], { local: false });
    const fork = its.chain.head;
    const old = [its.chain.extend({ transactions: [a0, b0] }), its.chain.extend({ transactions: [a1, b1] })];
    assert.deepEqual(its.pool.ordered(), [a2]);
    const events: PoolEvent[] = [];
    its.pool.on((event) => events.push(event));
    const one = its.chain.make(fork, { transactions: [b0], gasUsed: 1 });
    const two = its.chain.make(one, {});
    const three = its.chain.make(two, {});
    its.chain.reorganise(old, [one, two, three]);
    assert.deepEqual(new Set(its.pool.ordered()), new Set([a0, a1, a2, b1]));
    const returned = events.find((event) => event.kind === "newPending");
    assert.deepEqual(returned, { kind: "newPending", transactions: [a0, a1, b1], cause: "reorganisation" });
    its.chain.extend({ transactions: [a0, a1, a2, b1] });
    assert.deepEqual(its.pool.ordered(), []);
    assert.equal(its.pool.pendingNonce(addressOf("A")), 3n);
  });

  it("returns transactions beyond the nonce window and quota", () => {
    const its = setting(["A"], { rateLimit: true });
    const all = Array.from({ length: 40 }, (_, i) => signed("A", { nonce: BigInt(i), gasLimit: 1_000_000n }));
    const fork = its.chain.head;
    const old = its.chain.extend({ transactions: all });
    const one = its.chain.make(fork, { gasUsed: 1 });
    its.chain.reorganise([old], [one, its.chain.make(one, {})]);
    assert.deepEqual(its.pool.ordered(), all);
  });

  it("queues transactions without predecessors", () => {
    const its = setting(["A"]);
    const [a0, a1] = [signed("A"), signed("A", { nonce: 1n })];
    const fork = its.chain.head;
    const old = its.chain.extend({ transactions: [a0] });
    its.pool.add(a1, { local: false });
    const one = its.chain.make(fork, { minimumGasPrice: 101n });
    its.chain.reorganise([old], [one, its.chain.make(one, { minimumGasPrice: 101n })]);
    assert.deepEqual(sets(its), { pending: 0, queued: 1 });
    assert.equal(its.pool.pendingNonce(addressOf("A")), 0n);
  });

  it("drops transactions that the new branch has replaced", () => {
    const its = setting(["A"]);
    const [mine, other]: Transaction[] = [signed("A"), signed("A", { value: 1n })];
    const fork = its.chain.head;
    const old = its.chain.extend({ transactions: [mine!] });
    const one = its.chain.make(fork, { transactions: [other!] });
    its.chain.reorganise([old], [one, its.chain.make(one, {})]);
    assert.deepEqual(sets(its), { pending: 0, queued: 0 });
    assert.equal(outcome(its.pool, mine!), "transaction nonce too low");
  });

  it("may leave an account without funds", () => {
    const its = setting(["A"]);
    const key = toHex(addressOf("A"));
    const fork = its.chain.head;
    const old = its.chain.extend({ transactions: [signed("A")] });
    const one = its.chain.make(fork, { accounts: { [key]: { nonce: 0n, balance: 1n } } });
    its.chain.reorganise([old], [one, its.chain.make(one, {})]);
    assert.deepEqual(sets(its), { pending: 0, queued: 0 });
    its.chain.extend({ accounts: { [key]: { nonce: 0n, balance: RICH } } });
    assert.equal(outcome(its.pool, signed("A")), "pending");
  });
});
