import assert from "node:assert/strict";
import { codeOf } from "@cambium/test-utils/network-nodes";
import { type Judgement, ValidationQueue } from "../src/gossip/validation-queue.js";
import type { Verdict } from "../src/index.js";
import { PUBLIC_LIMITS } from "../src/index.js";
import { DialBook } from "../src/peers/dial-book.js";
import { Discipline } from "../src/peers/discipline.js";
import { choosePruned, type Prunable } from "../src/peers/pruning.js";
import { ByteBudget } from "../src/requests/byte-budget.js";
import { RequestSlots } from "../src/requests/request-slots.js";

describe("validation queue", () => {
  function judgements() {
    const done: [string, Verdict][] = [];
    const waiting: (() => void)[] = [];
    const of = (from: string, weight = 1): Judgement => ({
      from,
      weight,
      judge: () => new Promise((resolve) => waiting.push(() => resolve("accept"))),
      done: (verdict) => done.push([from, verdict]),
    });
    return { done, waiting, of };
  }

  it("gives a peer a quarter and no more", () => {
    const { done, of } = judgements();
    const queue = new ValidationQueue({ capacity: 8, drop: "newest", parallel: 1 });
    queue.add(of("a"));
    queue.add(of("a"));
    assert.equal(queue.hasRoom("a", 1), false);
    queue.add(of("a"));
    assert.deepEqual(done, [["a", "ignore"]]);
    assert.equal(queue.hasRoom("b", 2), true);
    assert.equal(queue.hasRoom("b", 3), false);
  });

  it("drops the oldest, or takes nothing new", () => {
    for (const drop of ["oldest", "newest"] as const) {
      const { done, of } = judgements();
      const queue = new ValidationQueue({ capacity: 4, drop, parallel: 1 });
      for (const from of ["a", "b", "c", "d", "e"]) queue.add(of(from));
      // The first is being judged already.
      assert.deepEqual(done, [[drop === "oldest" ? "b" : "e", "ignore"]]);
      assert.equal(queue.size, 4);
    }
  });

  it("judges in order, as many at once as it may, and makes room after it", async () => {
    const { done, waiting, of } = judgements();
    const queue = new ValidationQueue({ capacity: 8, drop: "oldest", parallel: 2 });
    for (const from of ["a", "b", "c"]) queue.add(of(from));
    assert.equal(waiting.length, 2);
    waiting.shift()!();
    await new Promise(setImmediate);
    assert.deepEqual(done, [["a", "accept"]]);
    assert.equal(waiting.length, 2);
    assert.equal(queue.size, 2);
  });

  it("ignores what its judge fails at", async () => {
    const done: Verdict[] = [];
    const queue = new ValidationQueue({ capacity: 8, drop: "oldest", parallel: 1 });
    queue.add({ from: "a", weight: 1, judge: () => Promise.reject(new Error("no")), done: (one) => done.push(one) });
    await new Promise(setImmediate);
    assert.deepEqual(done, ["ignore"]);
  });
});

describe("request slots", () => {
  it("give a peer two, one of a protocol that has one place, and 64 to all", async () => {
    const slots = new RequestSlots();
    const granted: string[] = [];
    const take = async (peer: string, name: "hashes" | "bodies", places: number) => {
      const release = await slots.acquire(peer, name, places);
      granted.push(`${peer} ${name}`);
      return release;
    };
    const first = await take("a", "hashes", 1);
    void take("a", "hashes", 1);
    await take("a", "bodies", 2);
    void take("a", "bodies", 2);
    await new Promise(setImmediate);
    assert.deepEqual(granted, ["a hashes", "a bodies"]);
    first();
    await new Promise(setImmediate);
    assert.deepEqual(granted, ["a hashes", "a bodies", "a hashes"]);
    for (let i = 0; i < 62; i++) await take(`p${i}`, "bodies", 2);
    void take("last", "bodies", 2);
    await new Promise(setImmediate);
    assert.equal(granted.length, 65);
    assert.ok(!granted.includes("last bodies"));
  });

  it("refuse those who wait in too long a line, or for somebody who is gone", async () => {
    const slots = new RequestSlots();
    await slots.acquire("a", "hashes", 1);
    const waiting = Array.from({ length: 32 }, () => codeOf(slots.acquire("a", "hashes", 1)));
    assert.equal(await codeOf(slots.acquire("a", "hashes", 1)), "TOO_MANY_REQUESTS");
    slots.drop("a");
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set(["DISCONNECTED"]));
  });
});

describe("byte budget", () => {
  it("lets 40 MiB go at once, and 4 MiB a second after that", () => {
    let now = 1_000_000;
    const budget = new ByteBudget(() => now);
    const mebibyte = 1024 * 1024;
    assert.equal(budget.take(40 * mebibyte), 0);
    assert.equal(budget.take(4 * mebibyte), 1000);
    now += 2000;
    assert.equal(budget.take(4 * mebibyte), 0);
  });
});

describe("discipline", () => {
  it("counts small offences within their time", () => {
    let now = 0;
    const discipline = new Discipline(() => now);
    for (let i = 0; i < 9; i++) assert.equal(discipline.judge("a", "REPEATED_MESSAGE"), undefined);
    assert.equal(discipline.judge("b", "REPEATED_MESSAGE"), undefined);
    assert.equal(discipline.judge("a", "REPEATED_MESSAGE")?.goodbye, "misbehaved");
    for (let i = 0; i < 9; i++) discipline.judge("a", "REPEATED_MESSAGE");
    now += 60_001;
    assert.equal(discipline.judge("a", "REPEATED_MESSAGE"), undefined);
    for (let i = 0; i < 4; i++) discipline.judge("a", "TIMEOUT_MESSAGE");
    assert.deepEqual(discipline.judge("a", "TIMEOUT_MESSAGE")?.noDialFor, 300_000);
    assert.equal(discipline.judge("a", "VALID_BLOCK"), undefined);
    assert.equal(discipline.judge("a", "INVALID_NETWORK")?.noDialFor, 3_600_000);
  });
});

describe("dial book", () => {
  it("waits longer after each failure, and as long as it was told", () => {
    let now = 0;
    const book = new DialBook(() => now, { first: 10, longest: 35 });
    for (const wait of [10, 20, 35, 35]) {
      book.failed("a");
      now += wait - 1;
      assert.equal(book.isDue("a"), false);
      now += 1;
      assert.equal(book.isDue("a"), true);
    }
    book.forbid("a", 100);
    assert.equal(book.isForbidden("a"), true);
    book.succeeded("a");
    assert.equal(book.isForbidden("a"), true);
    book.allow("a");
    assert.equal(book.isDue("a"), true);
  });
});

describe("pruning", () => {
  const limits = { ...PUBLIC_LIMITS, maximum: 4, minimumOutbound: 2 };
  const peer = (id: string, direction: Prunable["direction"], ip: string, isTrusted = false): Prunable => ({
    id,
    direction,
    isTrusted,
    address: { ip, port: 1 },
  });
  const scores: Record<string, number> = { bad: -5, good: 5 };
  const prune = (...peers: Prunable[]) => choosePruned(peers, limits, ({ id }) => scores[id] ?? 0).map(({ id }) => id);

  it("spares trusted peers and starts with the worst", () => {
    const four = ["a", "b", "c", "good"].map((id) => peer(id, "inbound", "8.0.0.1"));
    assert.deepEqual(prune(...four), []);
    assert.deepEqual(prune(...four, peer("t", "inbound", "8.0.0.1", true)), []);
    assert.deepEqual(prune(...four, peer("bad", "inbound", "8.0.0.1")), ["bad"]);
    assert.deepEqual(prune(...four, peer("o", "outbound", "8.0.0.1")), ["a"]);
  });

  it("keeps enough outbound ones, of enough parts of the internet", () => {
    const inbound = ["a", "b", "c"].map((id) => peer(id, "inbound", "8.0.0.1"));
    assert.deepEqual(prune(...inbound, peer("bad", "outbound", "9.0.0.1"), peer("o", "outbound", "9.1.0.1")), ["a"]);
    const spread = [1, 2, 3, 4, 5].map((n) => peer(`o${n}`, "outbound", `9.${n}.0.1`));
    assert.deepEqual(prune(...spread, peer("again", "outbound", "9.1.0.2")), ["o1"]);
  });
});
