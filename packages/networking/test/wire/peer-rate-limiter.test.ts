import assert from "node:assert/strict";
import { fc } from "@cambium/test-utils/properties";
import { PeerRateLimiter } from "../../src/peers/peer-rate-limiter.js";

const BOUNDS = {
  headers: { tokens: 1920, window: 10_000 },
  bodies: { tokens: 256, window: 10_000, total: 1280 },
  status: { tokens: 5, window: 15_000 },
};

describe("rate limiter", () => {
  let now: number;
  let limiter: PeerRateLimiter<keyof typeof BOUNDS>;

  beforeEach(() => {
    now = 1_700_000_000_000.25;
    limiter = new PeerRateLimiter(BOUNDS, () => now);
  });

  it("grants all tokens at once and not one more", () => {
    assert(!limiter.take("a", "headers", 1921));
    assert(limiter.take("a", "headers", 1920));
    assert(!limiter.take("a", "headers", 1));
    for (let i = 0; i < 5; i++) assert(limiter.take("a", "status", 1));
    assert(!limiter.take("a", "status", 1));
  });

  it("refills evenly", () => {
    assert(limiter.take("a", "status", 5));
    now += 2999;
    assert(!limiter.take("a", "status", 1));
    now += 1;
    assert(limiter.take("a", "status", 1));
    assert(!limiter.take("a", "status", 1));
    now += 15_000;
    assert(limiter.take("a", "status", 5));
  });

  it("keeps peers and protocols apart", () => {
    assert(limiter.take("a", "headers", 1920));
    assert(limiter.take("b", "headers", 1920));
    assert(limiter.take("a", "bodies", 256));
  });

  it("takes nothing when it refuses", () => {
    assert(limiter.take("a", "bodies", 200));
    assert(!limiter.take("a", "bodies", 57));
    assert(limiter.take("a", "bodies", 56));
  });

  it("limits all peers together", () => {
    for (const peer of ["a", "b", "c", "d"]) assert(limiter.take(peer, "bodies", 256));
    assert(limiter.take("e", "bodies", 255));
    assert(!limiter.take("f", "bodies", 2));
    assert(limiter.take("f", "bodies", 1));
    assert(!limiter.take("g", "bodies", 1));
    now += 8;
    assert(limiter.take("g", "bodies", 1));
  });

  it("remembers usage across connections until the bucket is full", () => {
    limiter.take("a", "status", 5);
    limiter.forget("a");
    assert(!limiter.take("a", "status", 1));
    now += 15_000;
    limiter.forget("a");
    assert.equal(limiter.size, 0);
    limiter.forget("unknown");
  });

  it("remembers a limited number of peers, the latest", () => {
    for (let i = 0; i < 5000; i++) limiter.take(`peer ${i}`, "status", 5);
    assert.equal(limiter.size, 1024);
    assert(!limiter.take("peer 4999", "status", 1));
    assert(limiter.take("peer 0", "status", 1));
  });

  it("never grants more than the limit in any window, nor less than the refill", () => {
    const steps = fc.array(fc.record({ wait: fc.nat(4000), count: fc.integer({ min: 1, max: 300 }) }));
    fc.assert(
      fc.property(steps, (list) => {
        let time = 0;
        const one = new PeerRateLimiter({ bodies: { tokens: 256, window: 10_000 } }, () => time);
        let level = 256;
        for (const { wait, count } of list) {
          time += wait;
          level = Math.min(256, level + (wait * 256) / 10_000);
          const given = one.take("a", "bodies", count);
          assert.equal(given, level + 1e-6 >= count);
          if (given) level -= count;
        }
      }),
    );
  });
});
