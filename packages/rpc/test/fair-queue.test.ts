import assert from "node:assert/strict";
import { type FairJob, FairQueue, timeLimit } from "../src/heavy/fair-queue.js";
import { FairShares } from "../src/heavy/fair-shares.js";

interface NamedJob extends FairJob {
  name: string;
}

/** Jobs of clients named by the first letter; digits after a `+` are failed attempts. */
const jobs = (...names: string[]): NamedJob[] =>
  names.map((name) => ({
    name,
    client: { identity: name[0]!, share: name[0]! },
    attempts: Number(name.split("+")[1] ?? 0),
    since: 0,
  }));

describe("a fair queue", () => {
  function queueOf(...names: string[]) {
    const shares = new FairShares();
    const queue = new FairQueue<NamedJob>(shares);
    for (const job of jobs(...names)) queue.add(job);
    return { shares, queue };
  }

  /** Serves all jobs that may start, each of which takes the given time. */
  function serve(
    { shares, queue }: ReturnType<typeof queueOf>,
    time: (job: NamedJob) => number,
    mayStart: (job: NamedJob) => boolean = () => true,
  ): string {
    const served: string[] = [];
    for (let job = queue.first(mayStart); job !== undefined; job = queue.first(mayStart)) {
      queue.delete(job);
      shares.charge(job.client, time(job), false);
      served.push(job.name);
    }
    return served.join(" ");
  }

  it("serves clients in turn, and each one's jobs in their order", () => {
    const queue = queueOf("a1", "a2", "a3", "b1", "c1", "c2");
    assert.equal(
      serve(queue, () => 1),
      "a1 b1 c1 a2 c2 a3",
    );
    assert.equal(queue.queue.size, 0);
  });

  it("weighs clients by the time of their jobs", () => {
    const queue = queueOf("a1", "a2", "b1", "b2", "b3", "b4");
    assert.equal(
      serve(queue, ({ name }) => (name.startsWith("a") ? 3 : 1)),
      "a1 b1 b2 b3 a2 b4",
    );
  });

  it("serves jobs with few attempts first, and only those that may start", () => {
    const queue = queueOf("a+2", "b+1", "c", "d+3");
    assert.equal(
      serve(queue, timeLimit, ({ attempts }) => attempts < 3),
      "c b+1 a+2",
    );
    assert.equal(queue.queue.size, 1);
  });

  it("serves a long job after a time, however many short ones come", () => {
    const { shares, queue } = queueOf("a+2");
    const served: string[] = [];
    for (let i = 0; !served.includes("a+2"); i++) {
      for (const job of jobs(`b${i}`)) queue.add(job);
      const job = queue.first(() => true)!;
      queue.delete(job);
      shares.pass(5);
      served.push(job.name);
    }
    assert.ok(served.length > 10 && served.length < 100, `after ${served.length}`);
  });

  it("refuses the newest job of the client with the most, among those tried or not that have more than half", () => {
    const { queue } = queueOf("a1", "b1", "b2", "c+2", "c+1");
    assert.equal(queue.greediest()?.name, "b2");
    for (const job of jobs("d+1", "e+1")) queue.add(job);
    assert.equal(queue.greediest()?.name, "c+2");
  });

  it("refuses a client that used more than others", () => {
    const { shares, queue } = queueOf("a", "b", "c");
    shares.charge({ identity: "b", share: "b" }, 100, false);
    assert.equal(queue.greediest()?.name, "b");
  });

  it("removes jobs", () => {
    const { queue } = queueOf("a");
    const [b, c] = jobs("b", "c") as [NamedJob, NamedJob];
    queue.add(b);
    assert.equal(queue.delete(b), true);
    assert.equal(queue.delete(b), false);
    queue.add(c);
    assert.deepEqual(
      queue.clear().map(({ name }) => name),
      ["a", "c"],
    );
    assert.equal(queue.first(() => true) ?? queue.greediest(), undefined);
  });
});

describe("fair shares", () => {
  const client = (share: string, network?: string) => ({ identity: share, share, network });

  it("forget use as virtual time passes, and give no credit for time without jobs", () => {
    const shares = new FairShares();
    shares.charge(client("busy"), 1_000, false);
    shares.charge(client("idle"), 0, true);
    assert.ok(shares.nextOf(client("busy")) >= 1_000);
    shares.pass(2_000);
    assert.deepEqual([shares.nextOf(client("busy")), shares.nextOf(client("idle"))], [2_000, 2_000]);
  });

  it("prefer known clients with short jobs to new ones, and these to clients with long jobs", () => {
    const shares = new FairShares();
    for (let i = 0; i < 100; i++) {
      shares.charge(client("short"), 4, true);
      shares.charge(client("long"), 40, false);
      shares.pass(5);
    }
    assert.ok(shares.nextOf(client("short")) < shares.nextOf(client("new")));
    assert.ok(shares.nextOf(client("new")) < shares.nextOf(client("long")));
  });

  it("charge networks an eighth", () => {
    const shares = new FairShares();
    shares.charge(client("a", "network"), 8_000, false);
    const next = (share: string, network: string) => shares.nextOf(client(share, network));
    assert.equal(next("b", "network"), 1_000);
    assert.ok(next("b", "other network") < 1_000);
  });

  it("are bounded", () => {
    const shares = new FairShares();
    for (let i = 0; i < 20_000; i++) shares.charge(client(`${i}`), 1_000, false);
    assert.equal(shares.nextOf(client("0")), shares.nextOf(client("new")));
    assert.ok(shares.nextOf(client("19999")) > shares.nextOf(client("new")));
  });
});
