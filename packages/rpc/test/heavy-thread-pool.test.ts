import assert from "node:assert/strict";
import { mock } from "node:test";
import { type Client, Deadline } from "@cambium/api";
import { local } from "@cambium/config";
import { HeavyThreadPool, type Job, type PoolParts } from "../src/heavy/heavy-thread-pool.js";
import type { Answer, WorkerListeners } from "../src/heavy/heavy-worker.js";
import type { HeavyRequest } from "../src/heavy/messages.js";
import { config } from "./support/service.js";

/** Time limit of a request in milliseconds, the default. */
const TIMEOUT = 5_000;
const START = 500;
const ATTACKERS = 140;
const ENDLESS = 1e9;

/** A thread whose jobs take simulated time: the name of a job is its duration. */
class SimulatedWorker {
  job: Job | undefined;
  isStarting = true;
  isInterrupted = false;
  started = Date.now();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly listeners: WorkerListeners<Job>) {
    setTimeout(() => {
      this.isStarting = false;
      listeners.onIdle();
    }, START);
  }

  get isIdle(): boolean {
    return !this.isStarting && this.job === undefined;
  }

  start(job: Job): void {
    this.job = job;
    this.started = Date.now();
    this.timer = setTimeout(() => this.end({ value: undefined }), Number(job.request.name));
  }

  interrupt(): void {
    this.isInterrupted = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end("interrupted"), 1);
  }

  async terminate(): Promise<void> {}

  private end(answer: Answer): void {
    const job = this.job!;
    this.job = undefined;
    this.isInterrupted = false;
    this.listeners.onAnswer(job, answer);
    this.listeners.onIdle();
  }
}

describe("threads for heavy work, in simulated time", () => {
  let pool: HeavyThreadPool;

  beforeEach(() => {
    mock.timers.enable({ apis: ["setTimeout", "Date"] });
    const parts = {
      createWorker: (_: unknown, listeners: WorkerListeners<Job>) => new SimulatedWorker(listeners),
      now: () => Date.now(),
    };
    pool = new HeavyThreadPool({ network: local, location: "", config: config() }, 3, parts as unknown as PoolParts);
  });

  afterEach(() => mock.timers.reset());

  /** Lets simulated time pass. */
  async function pass(milliseconds: number): Promise<void> {
    for (let i = 0; i < milliseconds; i++) {
      mock.timers.tick(1);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  const clientOf = (share: string, network?: string): Client => ({ identity: share, share, network });

  /** Whether a call of some milliseconds succeeds. */
  const call = (client: Client, milliseconds: number): Promise<boolean> =>
    pool.run({ name: milliseconds } as unknown as HeavyRequest, Deadline.after(TIMEOUT, undefined, client)).then(
      () => true,
      () => false,
    );

  /** Starts attackers that repeat endless calls, and soon retry if they are refused. */
  async function attack(clientOfCall: (attacker: number, call: number) => Client): Promise<void> {
    const repeat = async (attacker: number, count: number): Promise<void> => {
      await call(clientOfCall(attacker, count), ENDLESS);
      setTimeout(() => void repeat(attacker, count + 1), 20);
    };
    for (let attacker = 0; attacker < ATTACKERS; attacker++) void repeat(attacker, 0);
    await pass(10_000);
  }

  /** Number of successful calls among consecutive ones. */
  async function successes(count: number, milliseconds: number, client: Client): Promise<number> {
    let succeeded = 0;
    for (let i = 0; i < count; i++) {
      let isDone = false;
      const done = call(client, milliseconds).then((success) => {
        isDone = true;
        if (success) succeeded++;
      });
      while (!isDone) await pass(1);
      await done;
    }
    return succeeded;
  }

  for (const time of [3, 20]) {
    it(`serve calls of ${time} ms while 140 connections repeat endless ones`, async () => {
      await attack((attacker) => clientOf(`attacker ${attacker}`));
      assert.equal(await successes(20, time, clientOf("honest")), 20);
    });
  }

  it("serve a known client while 140 others open a connection for each endless call", async () => {
    await successes(5, 3, clientOf("honest"));
    await attack((attacker, count) => clientOf(`attacker ${attacker} ${count}`));
    assert.equal(await successes(20, 3, clientOf("honest")), 20);
  });

  it("serve a client while 140 addresses of another network repeat endless calls", async () => {
    await attack((attacker) => clientOf(`attacker ${attacker}`, "network"));
    assert.equal(await successes(20, 20, clientOf("honest", "other network")), 20);
  });

  it("serve a client while another one repeats 140 endless calls", async () => {
    await attack(() => clientOf("attacker"));
    assert.equal(await successes(20, 200, clientOf("honest")), 20);
  });

  it("serve long calls of several clients, and of one, at the same time", async () => {
    const calls = [1, 2, 3, 4, 4, 4].map((client) => call(clientOf(`${client}`), 500));
    await pass(TIMEOUT);
    assert.deepEqual(await Promise.all(calls), Array(6).fill(true));
  });

  it("do not refuse a long call because of many short ones", async () => {
    const busy = clientOf("busy");
    const long = [1, 2].map(() => call(clientOf("long"), 3_000));
    for (let i = 0; i < 200; i++) void call(busy, 4);
    await pass(TIMEOUT);
    assert.deepEqual(await Promise.all(long), [true, true]);
  });
});
