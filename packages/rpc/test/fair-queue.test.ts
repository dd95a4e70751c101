import assert from "node:assert/strict";
import { FairQueue } from "../src/heavy/fair-queue.js";
import { FairShares } from "../src/heavy/fair-shares.js";

const jobs = (...names: string[]) => names.map((name) => ({ name, share: name[0]! }));

describe("a fair queue", () => {
  /** Serves all jobs, each of which takes the given time. */
  function serve(queue: FairQueue<{ name: string; share: string }>, time: (name: string) => number): string {
    const shares = new FairShares();
    const order = (one: string, other: string) => shares.startOf(one) - shares.startOf(other);
    const served: string[] = [];
    for (let job = queue.first(order); job !== undefined; job = queue.first(order)) {
      queue.delete(job);
      shares.begin(job.share);
      shares.charge(job.share, time(job.name));
      served.push(job.name);
    }
    return served.join(" ");
  }

  it("serves clients in turn, and each one's jobs in their order", () => {
    const queue = new FairQueue<{ name: string; share: string }>();
    for (const job of jobs("a1", "a2", "a3", "b1", "c1", "c2")) queue.add(job);
    assert.equal(
      serve(queue, () => 1),
      "a1 b1 c1 a2 c2 a3",
    );
    assert.equal(queue.size, 0);
  });

  it("weighs clients by the time of their jobs", () => {
    const queue = new FairQueue<{ name: string; share: string }>();
    for (const job of jobs("a1", "a2", "b1", "b2", "b3", "b4")) queue.add(job);
    assert.equal(
      serve(queue, (name) => (name.startsWith("a") ? 3 : 1)),
      "a1 b1 b2 b3 a2 b4",
    );
  });

  it("removes jobs, and finds the newest of a client", () => {
    const queue = new FairQueue<{ name: string; share: string }>();
    const [a1, a2, b1] = jobs("a1", "a2", "b1") as [{ name: string; share: string }, never, never];
    for (const job of [a1, a2, b1]) queue.add(job);
    assert.equal(queue.countOf("a"), 2);
    assert.equal(queue.newestOf("a"), a2);
    assert.equal(queue.delete(a1), true);
    assert.equal(queue.delete(a1), false);
    assert.deepEqual([...queue.clients()], ["a", "b"]);
    assert.deepEqual(queue.clear(), [a2, b1]);
    assert.equal(queue.size, 0);
  });
});

describe("fair shares", () => {
  it("give no credit for time without jobs", () => {
    const shares = new FairShares();
    for (let i = 0; i < 5; i++) {
      shares.begin("busy");
      shares.charge("busy", 10);
    }
    assert.deepEqual([shares.startOf("busy"), shares.startOf("new")], [50, 40]);
    shares.reset();
    assert.equal(shares.startOf("busy"), shares.startOf("new"));
  });

  it("are bounded", () => {
    const shares = new FairShares();
    for (let i = 0; i < 20_000; i++) shares.charge(`${i}`, 1);
    assert.deepEqual([shares.startOf("0"), shares.startOf("19999")], [0, 1]);
  });
});
