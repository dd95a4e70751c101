import assert from "node:assert/strict";
import { toHex } from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import type { Block, Transaction } from "@cambium/types";
import type { PoolChange } from "../src/index.js";
import { addressOf, type FakeChain, RICH, type Setting, settingOf, unsigned } from "./support.js";

const NAMES = ["A", "B", "C", "D", "E"];
const ADDRESSES = NAMES.map(addressOf);
const CAPS = { maxTransactions: 24, maxQueued: 8, maxBytes: 3000 };

type Step =
  | { op: "add"; account: number; offset: number; price: number; value: number; size: number }
  | { op: "time"; seconds: number }
  | { op: "mine"; count: number; minimum: number }
  | { op: "reorganise"; depth: number }
  | { op: "evict"; index: number };

const small = (max: number) => fc.nat({ max });
const add = fc.record({
  op: fc.constant("add" as const),
  account: small(NAMES.length - 1),
  /** Nonce relative to the account's pending nonce. */
  offset: fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.integer({ min: -3, max: 3 }) },
    { weight: 1, arbitrary: small(17) },
  ),
  price: fc.integer({ min: 95, max: 400 }),
  value: small(3),
  size: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: small(500) }),
});
const steps: fc.Arbitrary<Step>[] = [
  fc.record({ op: fc.constant("time" as const), seconds: small(200) }),
  fc.record({ op: fc.constant("mine" as const), count: small(6), minimum: fc.integer({ min: 98, max: 103 }) }),
  fc.record({ op: fc.constant("reorganise" as const), depth: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ op: fc.constant("evict" as const), index: small(30) }),
];
const plan = fc.array(
  fc.oneof({ weight: 16, arbitrary: add }, ...steps.map((arbitrary) => ({ weight: 1, arbitrary }))),
  {
    minLength: 20,
    maxLength: 120,
    size: "max",
  },
);

/** A pool, its current branch, and the operations applied so far. */
class Model {
  private readonly its: Setting;
  private readonly branch: Block[] = [];
  private readonly fork: Block;
  /** Mirror built from the changes: whether a transaction is pending, by its id, oldest first. */
  private readonly mirror = new Map<string, boolean>();

  constructor() {
    const accounts = ADDRESSES.map((address, i) => [
      toHex(address),
      { nonce: 0n, balance: i === 4 ? 10_000_000n : RICH },
    ]);
    this.its = settingOf(new Map(accounts as [string, { nonce: bigint; balance: bigint }][]), CAPS);
    this.fork = this.chain.head;
    this.its.pool.watch((change) => this.follow(change));
  }

  private follow({ kind, pooled: { id, isPending } }: PoolChange): void {
    const { mirror } = this;
    assert.equal(mirror.has(id), kind !== "added");
    if (kind === "removed" || kind === "last") mirror.delete(id);
    if (kind !== "removed") mirror.set(id, isPending);
  }

  private get chain(): FakeChain {
    return this.its.chain;
  }

  run(step: Step): void {
    if (step.op === "add") this.add(step);
    else if (step.op === "time") this.its.clock.now += step.seconds;
    else if (step.op === "mine") this.mine(step.count, BigInt(step.minimum));
    else if (step.op === "reorganise") this.reorganise(step.depth);
    else this.evict(step.index);
    this.check();
  }

  private add({ account, offset, price, value, size }: Step & { op: "add" }): void {
    const { pool } = this.its;
    const sender = ADDRESSES[account]!;
    const before = pool.pendingNonce(sender);
    const nonce = BigInt(Math.max(0, Number(before) + offset));
    const own = { nonce, gasPrice: BigInt(price), value: BigInt(value), data: new Uint8Array(size) };
    const transaction = unsigned(sender, { ...own, gasLimit: 60_000n });
    const result = pool.add(transaction, { local: false });
    const held = pool.get(transaction.hash);
    if (result.kind === "pending") {
      assert.ok(held?.isPending && own.nonce <= before);
      assert.deepEqual(toHex(result.added[0]!.hash), toHex(transaction.hash));
    } else if (result.kind === "queued") assert.ok(held?.isPending === false && own.nonce > before);
    else {
      assert.ok(result.message.length > 0);
      assert.equal(held !== undefined, result.code.startsWith("ALREADY"));
    }
  }

  private mine(count: number, minimumGasPrice: bigint): void {
    const transactions: Transaction[] = this.its.pool.ordered().slice(0, count);
    this.branch.push(this.chain.extend({ transactions, minimumGasPrice }));
  }

  private reorganise(depth: number): void {
    const removed = this.branch.splice(-depth);
    if (removed.length === 0) return;
    const added: Block[] = [];
    for (let i = 0; i <= removed.length; i++) {
      added.push(
        this.chain.make(added.at(-1) ?? this.branch.at(-1) ?? this.fork, {
          timestamp: BigInt(this.chain.head.number + 1),
        }),
      );
    }
    this.branch.push(...added);
    this.chain.reorganise(removed, added);
  }

  private evict(index: number): void {
    const entry = this.its.pool.pending()[index];
    if (entry !== undefined) this.its.pool.evict([entry.transaction.hash], "unusable");
  }

  private check(): void {
    const { pool, chain, clock } = this.its;
    const state = chain.stateAfter(chain.head.hash)!;
    const [pending, queued] = [pool.pending(), pool.queued()];
    const all = pool.all().map(({ id, isPending }) => [id, isPending]);
    assert.deepEqual([...this.mirror], all);
    const counts = pool.counts();
    assert.deepEqual([counts.pending, counts.queued], [pending.length, queued.length]);
    const bytes = [...pending, ...queued].reduce((sum, { transaction }) => sum + transaction.size, 0);
    assert.equal(counts.bytes, bytes);
    assert.ok(pending.length + queued.length <= CAPS.maxTransactions && queued.length <= CAPS.maxQueued);
    assert.ok(bytes <= CAPS.maxBytes, "bytes");
    for (const { since } of [...pending, ...queued]) assert.ok(since.time > clock.now - 650);
    for (const sender of ADDRESSES) {
      const nonces = pending.filter((entry) => entry.sender === sender || toHex(entry.sender) === toHex(sender));
      const sorted = nonces.map(({ transaction }) => transaction.nonce).sort((a, b) => Number(a - b));
      const first = state.getNonce(sender);
      assert.deepEqual(
        sorted,
        sorted.map((_, i) => first + BigInt(i)),
        "a gap in pending",
      );
      assert.equal(pool.pendingNonce(sender), first + BigInt(sorted.length));
      const waiting = queued.filter((entry) => toHex(entry.sender) === toHex(sender));
      const seen = new Set(waiting.map(({ transaction }) => transaction.nonce));
      assert.equal(seen.size, waiting.length, "two queued ones with one nonce");
      for (const nonce of seen) assert.ok(nonce > pool.pendingNonce(sender), "a queued one whose turn it is");
    }
    this.checkOrder(pending.length);
  }

  private checkOrder(pendingCount: number): void {
    const { pool, chain } = this.its;
    const state = chain.stateAfter(chain.head.hash)!;
    const next = new Map<string, bigint>();
    const ordered = pool.ordered();
    assert.equal(ordered.length, pendingCount);
    for (const { sender, nonce } of ordered) {
      const key = toHex(sender!);
      assert.equal(nonce, next.get(key) ?? state.getNonce(sender!));
      next.set(key, nonce + 1n);
    }
  }
}

describe("pool model", () => {
  it("keeps its invariants under random operations", () => {
    fc.assert(
      fc.property(plan, (all) => {
        const model = new Model();
        for (const step of all) model.run(step);
      }),
      { numRuns: runs(150) },
    );
  });
});
