import assert from "node:assert/strict";
import { PrimitivesError, ThreadClient, ThreadError } from "../../src/index.js";

/** The methods of `faulty-thread.js`. */
interface Methods {
  double(value: number): number;
  fill(shared: Uint8Array): void;
  refuse(value: string): void;
  throw(argument: undefined): void;
  answerFunction(argument: undefined): unknown;
  crash(argument: undefined): void;
  exit(argument: undefined): void;
  exhaust(argument: undefined): void;
  never(argument: undefined): void;
  wait(argument: undefined): Promise<string>;
  release(argument: undefined): void;
  announce(event: string): Promise<string>;
}

const isThreadError = (code: string) => (error: unknown) => error instanceof ThreadError && error.code === code;

describe("thread client", () => {
  let thread: ThreadClient<Methods, string>;
  let events: string[];
  let failures: ThreadError[];

  function start(data?: unknown): ThreadClient<Methods, string> {
    events = [];
    failures = [];
    thread = new ThreadClient({
      name: "faulty",
      entry: new URL("./faulty-thread.js", import.meta.url),
      data,
      errors: [PrimitivesError],
      maxInFlight: 4,
      resourceLimits: { maxOldGenerationSizeMb: 32 },
      onEvent: (event) => events.push(event),
      onFailure: (error) => failures.push(error),
    });
    return thread;
  }

  afterEach(() => thread.terminate());

  it("receives answers in any order, and events before them", async () => {
    start();
    const order: string[] = [];
    const waiting = thread.call("wait", undefined).then((answer) => order.push(answer));
    assert.equal(await thread.call("double", 21), 42);
    assert.deepEqual(events, ["doubling 21"]);
    order.push("doubled");
    await thread.call("release", undefined);
    await waiting;
    assert.deepEqual(order, ["doubled", "released"]);
  });

  it("passes shared memory without copying", async () => {
    const shared = new Uint8Array(new SharedArrayBuffer(4));
    await start().call("fill", shared);
    assert.deepEqual([...shared], [7, 7, 7, 7]);
  });

  it("rejects with the error that a method throws, typed if the class is known, and keeps running", async () => {
    start();
    await assert.rejects(
      thread.call("refuse", "xy"),
      (error) => error instanceof PrimitivesError && "value" in error.details && error.details.value === "xy",
    );
    await assert.rejects(thread.call("throw", undefined), { name: "Error", message: "not my type" });
    await assert.rejects(thread.call("answerFunction", undefined), /could not be cloned/);
    assert.equal(await thread.call("double", 1), 2);
    assert.deepEqual(failures, []);
  });

  it("rejects an argument that cannot be copied", async () => {
    await assert.rejects(start().call("double", (() => 1) as never), /could not be cloned/);
    assert.equal(await thread.call("double", 1), 2);
  });

  for (const [how, reason] of [
    ["crash", /RangeError: crashed/],
    ["exit", /ended with status 3/],
    ["exhaust", /reason=Worker terminated due to reaching memory limit: JS heap out of memory$/],
  ] as const) {
    it(`rejects pending and further calls when the thread fails: ${how}`, async () => {
      start();
      const inFlight = assert.rejects(thread.call("never", undefined), isThreadError("WORKER_FAILED"));
      await Promise.allSettled([thread.call(how, undefined)]);
      await inFlight;
      await thread.exited;
      await assert.rejects(thread.call("double", 1), isThreadError("WORKER_FAILED"));
      assert.equal(failures.length, 1);
      assert.match(failures[0]!.message, reason);
      await thread.close();
    });
  }

  it("limits the pending calls of a thread that never answers, and ends it", async () => {
    start();
    const lost = [1, 2, 3, 4].map(() =>
      assert.rejects(thread.call("never", undefined), isThreadError("WORKER_CLOSED")),
    );
    await assert.rejects(thread.call("never", undefined), isThreadError("WORKER_BUSY"));
    await thread.terminate();
    await Promise.all(lost);
    await assert.rejects(thread.call("double", 1), isThreadError("WORKER_CLOSED"));
    assert.deepEqual(failures, []);
  });

  it("answers pending calls when it is closed, and closes the thread's resources", async () => {
    start();
    const answers: Promise<unknown>[] = [
      thread.call("double", 1),
      thread.call("wait", undefined),
      thread.call("release", undefined),
    ];
    answers.push(thread.call("announce", "last"));
    const closed = thread.close();
    await assert.rejects(thread.call("double", 2), isThreadError("WORKER_CLOSED"));
    assert.deepEqual(await Promise.all(answers), [2, "released", undefined, "last"]);
    await Promise.all([closed, thread.close()]);
    assert.deepEqual(events, ["doubling 1", "last", "closing"]);
    assert.deepEqual(failures, []);
  });

  it("rejects with the reason why the thread failed to open", async () => {
    start("refuse");
    const early = assert.rejects(thread.call("double", 1), PrimitivesError);
    await assert.rejects(thread.opened, PrimitivesError);
    await early;
    await assert.rejects(thread.call("double", 1), PrimitivesError);
    await thread.close();
    assert.deepEqual(failures, []);
  });
});
