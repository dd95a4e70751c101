import assert from "node:assert/strict";
import { DerivationQueue } from "../src/derivation-queue.js";

/** Work whose end the test decides. */
class Work {
  begun = false;
  end: () => void = () => {};

  readonly run = (): Promise<string> => {
    this.begun = true;
    return new Promise((resolve) => (this.end = () => resolve("done")));
  };
}

const settled = () => new Promise(setImmediate);

describe("the queue of key derivations", () => {
  it("runs one after the other, in order", async () => {
    const queue = new DerivationQueue();
    const works = Array.from({ length: 9 }, () => new Work());
    const results = works.map((work) => queue.run(work.run));
    for (const [i, work] of works.entries()) {
      await settled();
      assert.deepEqual(
        works.map(({ begun }) => begun),
        works.map((_, j) => j <= i),
      );
      work.end();
      assert.equal(await results[i], "done");
    }
  });

  it("refuses more than eight that wait", async () => {
    const queue = new DerivationQueue();
    const works = Array.from({ length: 300 }, () => new Work());
    const results = works.map((work) => queue.run(work.run));
    for (const result of results.slice(9)) await assert.rejects(result, { code: "BUSY" });
    for (const [i, work] of works.slice(0, 9).entries()) {
      await settled();
      work.end();
      assert.equal(await results[i], "done");
    }
    assert.equal(works.filter(({ begun }) => begun).length, 9);
  });

  it("neither begins nor uses what is aborted, and goes on with the next", async () => {
    const queue = new DerivationQueue();
    const aborts = [new AbortController(), new AbortController(), new AbortController()];
    const works = Array.from({ length: 4 }, () => new Work());
    const results = works.map((work, i) => queue.run(work.run, aborts[i]?.signal));
    for (const [i, abort] of aborts.entries()) abort.abort(new Error(`given up ${i}`));
    await assert.rejects(results[1]!, /given up 1/);
    await assert.rejects(results[2]!, /given up 2/);
    works[0]!.end();
    await assert.rejects(results[0]!, /given up 0/);
    await settled();
    works[3]!.end();
    assert.equal(await results[3], "done");
    assert.deepEqual(
      works.map(({ begun }) => begun),
      [true, false, false, true],
    );
    const failing = queue.run(() => Promise.reject(new Error("failed")));
    await assert.rejects(failing, /failed/);
    const aborted = new AbortController();
    aborted.abort(new Error("aborted before"));
    await assert.rejects(queue.run(new Work().run, aborted.signal), /aborted before/);
  });
});
