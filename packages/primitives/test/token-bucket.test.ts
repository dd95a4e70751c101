import assert from "node:assert/strict";
import { TokenBucket } from "../src/token-bucket.js";

describe("token bucket", () => {
  it("is full at first, and refills evenly", () => {
    const bucket = new TokenBucket({ tokens: 5, window: 15_000 });
    assert.ok(bucket.isFull(1000));
    assert.ok(!bucket.take(6, 1000));
    assert.ok(bucket.take(5, 1000));
    assert.ok(!bucket.has(1, 3999));
    assert.equal(bucket.wait(1, 1000), 3000);
    assert.ok(bucket.take(1, 4000));
    assert.equal(bucket.wait(5, 4000), 15_000);
    assert.ok(!bucket.isFull(18_999));
    assert.ok(bucket.isFull(19_000));
  });

  it("takes nothing if it has too few tokens", () => {
    const bucket = new TokenBucket({ tokens: 3, window: 3000 });
    assert.ok(bucket.take(2, 0));
    assert.ok(!bucket.take(2, 0));
    assert.ok(bucket.take(1, 0));
  });
});
