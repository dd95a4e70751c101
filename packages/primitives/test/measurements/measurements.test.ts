import assert from "node:assert/strict";
import { counter, gauge, histogram, measurementFamilies, ThreadClient } from "../../src/index.js";

/** The methods of `measuring-thread.js`. */
interface Methods {
  add(amount: number): void;
  never(argument: undefined): void;
}

describe("measurements", () => {
  const done = counter("test_done_total", "Of the test");
  const sizes = histogram("test_size_bytes", "Of the test", [1, 10], { kind: "main" });
  histogram("test_size_bytes", "Of the test", [1, 10], { kind: "thread" });
  const family = (name: string) => measurementFamilies().find((one) => one.name === name)!;
  const totalOf = (name: string) => family(name).series[0]!.values()[0];

  function start(): ThreadClient<Methods> {
    const entry = new URL("./measuring-thread.js", import.meta.url);
    return new ThreadClient({ name: "measuring", entry, maxInFlight: 4 });
  }

  it("adds up what all threads have measured, also after they have ended", async () => {
    const before = totalOf("test_done_total")!;
    done.add();
    const threads = [start(), start()];
    await Promise.all(threads.map((thread, index) => thread.call("add", 2 + index)));
    assert.equal(totalOf("test_done_total"), before + 6);
    await threads[0]!.terminate();
    await threads[1]!.close();
    // The new thread continues with the values of a thread that has ended.
    const next = start();
    await next.call("add", 10);
    await next.close();
    assert.equal(totalOf("test_done_total"), before + 16);
  });

  it("counts values by bucket, each in the lowest that holds it", async () => {
    for (const size of [0, 1, 1.5, 10, 11, 1000]) sizes.observe(size);
    const [main, thread] = family("test_size_bytes").series;
    assert.deepEqual(main!.labels, { kind: "main" });
    assert.deepEqual([main!.values(), main!.sum()], [[2, 2, 2], 1023.5]);
    assert.deepEqual([thread!.values(), thread!.sum()], [[0, 3, 0], 15]);
  });

  it("shows a counter of requests only once there are requests, or it has counted", () => {
    const shown = (
      method: string,
      count: (time: { observe(value: number): void }, errors: { add(): void }) => void,
    ) => {
      const time = histogram("test_request_seconds", "Of the test", [1], { method });
      count(time, counter("test_errors_total", "Of the test", { method }, time));
      return family("test_errors_total").series.at(-1)!.isShown();
    };
    assert.deepEqual(
      [
        shown("unused", () => {}),
        shown("used", (time) => time.observe(2)),
        shown("refused", (_, errors) => errors.add()),
      ],
      [false, true, true],
    );
    assert.ok(family("test_done_total").series[0]!.isShown());
  });

  it("lists a measurement once, however often it is asked for", () => {
    for (const amount of [2, -3]) gauge("test_length", "Of the test", { queue: "one" }).add(amount);
    gauge("test_length", "Of the test", { queue: "two" });
    const { series, labelNames } = family("test_length");
    assert.deepEqual(labelNames, ["queue"]);
    assert.deepEqual(
      series.map((one) => [one.labels.queue, one.values()]),
      [
        ["one", [-1]],
        ["two", [0]],
      ],
    );
  });

  it("counts the calls that a thread has not answered, and none once it has ended", async () => {
    const calls = () =>
      family("cambium_thread_calls")
        .series.find(({ labels }) => labels.thread === "other")!
        .values()[0];
    const before = calls()!;
    const thread = start();
    const unanswered = [1, 2].map(() => assert.rejects(thread.call("never", undefined)));
    assert.equal(calls(), before + 2);
    await thread.terminate();
    await Promise.all(unanswered);
    assert.equal(calls(), before);
  });
});
