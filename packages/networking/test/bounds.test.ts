import assert from "node:assert/strict";
import { codeOf } from "@cambium/test-utils/peers/network-nodes";
import type { Verdict } from "../src/index.js";
import { choosePruned, type Prunable } from "../src/libp2p/peers/pruning.js";
import { RequestSlots } from "../src/libp2p/requests/request-slots.js";
import { ByteBudget } from "../src/libp2p/sessions/byte-budget.js";
import { PUBLIC_LIMITS } from "../src/options.js";
import { DialSchedule } from "../src/peers/dial-schedule.js";
import { Sanctions } from "../src/peers/sanctions.js";
import { type Validation, ValidationQueue } from "../src/peers/validation-queue.js";

describe("validation queue", () => {
  function validations() {
    const done: [string, Verdict][] = [];
    const waiting: (() => void)[] = [];
    const of = (from: string, weight = 1): Validation => ({
      from,
      weight,
      validate: () => new Promise((resolve) => waiting.push(() => resolve("accept"))),
      done: (verdict) => done.push([from, verdict]),
    });
    return { done, waiting, of };
  }

  it("gives a peer a quarter of its capacity", () => {
    const { done, of } = validations();
    const queue = new ValidationQueue({ content: "block", capacity: 8, drop: "newest", parallel: 1 });
    queue.add(of("a"));
    queue.add(of("a"));
    assert.equal(queue.hasRoom("a", 1), false);
    queue.add(of("a"));
    assert.deepEqual(done, [["a", "ignore"]]);
    assert.equal(queue.hasRoom("b", 2), true);
    assert.equal(queue.hasRoom("b", 3), false);
  });

  it("drops the oldest or the newest message when it is full", () => {
    for (const drop of ["oldest", "newest"] as const) {
      const { done, of } = validations();
      const queue = new ValidationQueue({ content: "block", capacity: 4, drop, parallel: 1 });
      for (const from of ["a", "b", "c", "d", "e"]) queue.add(of(from));
      // The first message is already being validated.
      assert.deepEqual(done, [[drop === "oldest" ? "b" : "e", "ignore"]]);
      assert.equal(queue.size, 4);
    }
  });

  it("validates in order, up to its limit at the same time, and makes room afterwards", async () => {
    const { done, waiting, of } = validations();
    const queue = new ValidationQueue({ content: "block", capacity: 8, drop: "oldest", parallel: 2 });
    for (const from of ["a", "b", "c"]) queue.add(of(from));
    assert.equal(waiting.length, 2);
    waiting.shift()!();
    await new Promise(setImmediate);
    assert.deepEqual(done, [["a", "accept"]]);
    assert.equal(waiting.length, 2);
    assert.equal(queue.size, 2);
  });

  it("ignores a message whose validation fails", async () => {
    const done: Verdict[] = [];
    const queue = new ValidationQueue({ content: "block", capacity: 8, drop: "oldest", parallel: 1 });
    queue.add({ from: "a", weight: 1, validate: () => Promise.reject(new Error("no")), done: (one) => done.push(one) });
    await new Promise(setImmediate);
    assert.deepEqual(done, ["ignore"]);
  });
});

describe("request slots", () => {
  it("allow a peer two requests, one of a protocol that allows one, and 64 in total", async () => {
    const slots = new RequestSlots();
    const granted: string[] = [];
    const take = async (peer: string, name: "hashes" | "bodies", parallel: number) => {
      const release = await slots.acquire(peer, name, parallel);
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

  it("refuse requests when too many wait, or when the peer disconnects", async () => {
    const slots = new RequestSlots();
    await slots.acquire("a", "hashes", 1);
    const waiting = Array.from({ length: 32 }, () => codeOf(slots.acquire("a", "hashes", 1)));
    assert.equal(await codeOf(slots.acquire("a", "hashes", 1)), "TOO_MANY_REQUESTS");
    slots.drop("a");
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set(["DISCONNECTED"]));
  });
});

describe("byte budget", () => {
  it("allows 40 MiB at once and 4 MiB a second afterwards", () => {
    let now = 1_000_000;
    const budget = new ByteBudget(() => now);
    const mebibyte = 1024 * 1024;
    assert.equal(budget.take(40 * mebibyte), 0);
    assert.equal(budget.take(4 * mebibyte), 1000);
    now += 2000;
    assert.equal(budget.take(4 * mebibyte), 0);
  });
});

describe("sanctions", () => {
  it("count minor offences within their window", () => {
    let now = 0;
    const sanctions = new Sanctions(() => now);
    for (let i = 0; i < 9; i++) assert.equal(sanctions.record("a", "REPEATED_MESSAGE"), undefined);
    assert.equal(sanctions.record("b", "REPEATED_MESSAGE"), undefined);
    assert.equal(sanctions.record("a", "REPEATED_MESSAGE")?.goodbye, "misbehaved");
    for (let i = 0; i < 9; i++) sanctions.record("a", "REPEATED_MESSAGE");
    now += 60_001;
    assert.equal(sanctions.record("a", "REPEATED_MESSAGE"), undefined);
    for (let i = 0; i < 4; i++) sanctions.record("a", "TIMEOUT_MESSAGE");
    assert.deepEqual(sanctions.record("a", "TIMEOUT_MESSAGE")?.noDialFor, 300_000);
    assert.equal(sanctions.record("a", "VALID_BLOCK"), undefined);
    assert.equal(sanctions.record("a", "INVALID_NETWORK")?.noDialFor, 3_600_000);
    assert.deepEqual(sanctions.record("a", "UNREADABLE_MESSAGE")?.noDialFor, 300_000);
  });
});

describe("dial schedule", () => {
  it("waits longer after each failure, and while a peer is forbidden", () => {
    let now = 0;
    const schedule = new DialSchedule(() => now, { first: 10, longest: 35 });
    for (const wait of [10, 20, 35, 35]) {
      schedule.failed("a");
      now += wait - 1;
      assert.equal(schedule.isDue("a"), false);
      now += 1;
      assert.equal(schedule.isDue("a"), true);
    }
    schedule.forbid("a", 100);
    assert.equal(schedule.isForbidden("a"), true);
    schedule.succeeded("a");
    assert.equal(schedule.isForbidden("a"), true);
    schedule.reset("a");
    assert.equal(schedule.isDue("a"), true);
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

  it("keeps trusted peers and starts with the worst score", () => {
    const four = ["a", "b", "c", "good"].map((id) => peer(id, "inbound", "8.0.0.1"));
    assert.deepEqual(prune(...four), []);
    assert.deepEqual(prune(...four, peer("t", "inbound", "8.0.0.1", true)), []);
    assert.deepEqual(prune(...four, peer("bad", "inbound", "8.0.0.1")), ["bad"]);
    assert.deepEqual(prune(...four, peer("o", "outbound", "8.0.0.1")), ["a"]);
  });

  it("keeps enough outbound peers in enough subnets", () => {
    const inbound = ["a", "b", "c"].map((id) => peer(id, "inbound", "8.0.0.1"));
    assert.deepEqual(prune(...inbound, peer("bad", "outbound", "9.0.0.1"), peer("o", "outbound", "9.1.0.1")), ["a"]);
    const spread = [1, 2, 3, 4, 5].map((n) => peer(`o${n}`, "outbound", `9.${n}.0.1`));
    assert.deepEqual(prune(...spread, peer("again", "outbound", "9.1.0.2")), ["o1"]);
  });
});
