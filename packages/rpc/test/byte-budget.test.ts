import assert from "node:assert/strict";
import { ByteBudget } from "../src/connections/byte-budget.js";

describe("a budget of bytes", () => {
  let closed: string[];
  let budget: ByteBudget;
  const share = (client: string, name = client) => budget.share(client, () => closed.push(name));

  beforeEach(() => {
    closed = [];
    budget = new ByteBudget(100);
  });

  it("closes the largest connection of the client that holds the most", () => {
    const [big, small, other, late] = [share("a", "big"), share("a", "small"), share("b"), share("c")];
    assert(big.take(40) && small.take(15) && other.take(45));
    assert(late.take(10));
    assert.deepEqual(closed, ["big"]);
    assert.deepEqual(
      [big, small, other, late].map(({ bytes }) => bytes),
      [0, 15, 45, 10],
    );
    assert(late.take(30));
    assert.deepEqual(closed, ["big"]);
    assert(late.take(1));
    assert.deepEqual(closed, ["big", "b"]);
  });

  it("refuses what would make a connection the largest", () => {
    const [one, two] = [share("a"), share("b")];
    assert(one.take(50));
    assert(!two.take(51));
    assert(!two.take(1_000_000));
    assert(two.take(50));
    assert.deepEqual([closed, one.bytes, two.bytes], [[], 50, 50]);
  });

  it("closes the oldest or the newest of equals", () => {
    const [one, two] = [share("a", "one"), share("a", "two")];
    assert(one.take(50) && two.take(50));
    assert(share("b").take(10));
    assert.deepEqual(closed, ["one"]);
    budget = new ByteBudget(100, "newest");
    const [three, four] = [share("a", "three"), share("a", "four")];
    assert(three.take(60));
    assert(!four.take(60));
    assert(four.take(40) && share("b").take(10));
    assert.deepEqual(closed, ["one", "three"]);
  });

  it("takes back no more than was taken", () => {
    const [one, two] = [share("a"), share("b")];
    assert(one.take(100));
    one.give(60);
    assert(two.take(60));
    one.give(100);
    one.end();
    assert.equal(one.bytes, 0);
    assert(two.take(40));
    two.end();
    assert(one.take(100));
    assert.deepEqual(closed, []);
  });

  it("has no limit if it is 0", () => {
    budget = new ByteBudget(0);
    assert(share("a").take(2 ** 40));
  });
});
