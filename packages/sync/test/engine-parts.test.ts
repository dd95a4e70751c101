import assert from "node:assert/strict";
import type { BlockId, Peer, PeerStatus, RequestRates } from "@cambium/networking";
import { ManualClock } from "@cambium/test-utils/manual-clock";
import { UNLIMITED } from "@cambium/test-utils/peers/peer-capabilities";
import { fc } from "@cambium/test-utils/properties";
import { LongSync } from "../src/engine/long-sync.js";
import { PeerChoice } from "../src/engine/peer-choice.js";
import { chooseSegments, type SkeletonOffer, skeletonFault } from "../src/engine/skeleton.js";
import { statusLine } from "../src/engine/status-line.js";
import { Throughput } from "../src/engine/throughput.js";
import { bounded, boundedItems } from "../src/shared/bounded.js";
import { RequestPace } from "../src/shared/request-pace.js";
import { SpeedMeter } from "../src/shared/speed-meter.js";

/** Height of the block that is needed next. */
const NEXT = 100;

function peer(id: string, totalDifficulty: bigint, bestNumber = 1000, earliestBody = 0): Peer {
  const status = { totalDifficulty, bestNumber, earliestBody } as PeerStatus;
  const address = { ip: "10.0.0.1", port: 1 };
  return { id, address, direction: "outbound", wire: "libp2p", capabilities: UNLIMITED, isTrusted: false, status };
}

describe("skeletons", () => {
  const block = (number: number, brand = 1): BlockId => ({ number, hash: new Uint8Array(32).fill(brand) });
  const offer = (id: string, ...entries: BlockId[]): SkeletonOffer => ({ peer: peer(id, 1n), entries });
  const plan = (offers: SkeletonOffer[], start = 0) =>
    chooseSegments(offers, start).map(({ top, sources }) => `${top.number}/${top.hash[0]} ${sources.join()}`);

  it("follow the first offer if no two agree", () => {
    const offers = [offer("a", block(0), block(192, 1)), offer("b", block(0), block(192, 2), block(384, 2))];
    assert.deepEqual(plan(offers), ["192/1 a"]);
  });

  it("follow the majority against the first", () => {
    const offers = [
      offer("a", block(0), block(192, 1), block(384, 1)),
      offer("b", block(0), block(192, 1), block(384, 2), block(500, 2)),
      offer("c", block(0), block(192, 1), block(384, 2), block(450, 2)),
    ];
    assert.deepEqual(plan(offers), ["192/1 a,b,c", "384/2 b,c", "500/2 b"]);
  });

  it("are followed from the start only", () => {
    assert.deepEqual(plan([offer("a", block(192), block(384), block(400))], 200), ["384/1 a", "400/1 a"]);
    assert.deepEqual(plan([offer("a", block(192))], 200), []);
    assert.deepEqual(plan([]), []);
  });

  it("have entries at the expected heights", () => {
    assert.equal(skeletonFault([block(192), block(384), block(400)], 200), undefined);
    assert.equal(skeletonFault([block(192), block(384), block(576)], 383), undefined);
    assert.equal(skeletonFault([block(0)], 0), undefined);
    const wrong = [
      [block(193)],
      [block(192), block(192)],
      [block(192), block(400)],
      [block(192), block(300), block(384)],
    ];
    for (const entries of wrong) assert.notEqual(skeletonFault(entries, 200), undefined);
    const many = Array.from({ length: 22 }, (_, i) => block(i * 192));
    assert.equal(skeletonFault(many.slice(1), 192), undefined);
    assert.notEqual(skeletonFault(many, 0), undefined);
  });
});

describe("choice of peers", () => {
  it("prefers the highest claim, then failed peers, the oldest failure first", () => {
    const clock = new ManualClock();
    const choice = new PeerChoice(clock, () => NEXT);
    const peers = [peer("low", 5n), peer("high", 9n), peer("none", 3n)];
    const chosen = () => choice.best(peers, 3n)?.id;
    assert.equal(chosen(), "high");
    choice.failed("high", false);
    assert.equal(chosen(), "low");
    clock.pass(10);
    choice.failed("low", false);
    assert.equal(chosen(), undefined);
    assert.equal(choice.retryIn(peers, 3n), 990);
    clock.pass(2000);
    assert.equal(chosen(), "high");
    clock.pass(600_000);
    assert(!choice.hasFailed("low"));
    assert.equal(chosen(), "high");
  });

  it("prefers peers that serve the next block, though they claim less", () => {
    const clock = new ManualClock();
    const choice = new PeerChoice(clock, () => NEXT);
    const peers = [peer("pruned", 9n, 1000, NEXT + 1), peer("just", 5n, 1000, NEXT), peer("whole", 6n)];
    const order = ["whole", "just", "pruned"];
    assert.deepEqual(
      choice.unfailed(peers).map(({ id }) => id),
      order,
    );
    for (const id of order) {
      assert.equal(choice.best(peers, 3n)?.id, id);
      choice.failed(id, false);
    }
  });

  it("waits longer each time, and never for a peer that claims no more work than ours", () => {
    const clock = new ManualClock();
    const choice = new PeerChoice(clock, () => NEXT);
    const waits = Array.from({ length: 8 }, () => {
      choice.failed("a", false);
      return choice.retryIn([peer("a", 5n)], 1n);
    });
    assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    choice.failed("a", true);
    assert.equal(choice.retryIn([peer("a", 5n)], 1n), 1000);
    assert.equal(choice.retryIn([peer("a", 5n)], 5n), undefined);
    choice.succeeded("a");
    assert.equal(choice.retryIn([peer("a", 5n)], 1n), 0);
  });
});

const RATES: RequestRates = {
  ...UNLIMITED.rates,
  skeleton: { tokens: 9, window: 10_000 },
  bodies: { tokens: 230, window: 10_000 },
};

describe("pace of requests", () => {
  it("never exceeds the rate of the peer", () => {
    const steps = fc.array(fc.tuple(fc.nat(64), fc.nat(3000)), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (plan) => {
        const clock = new ManualClock();
        const pace = new RequestPace(clock, () => RATES);
        const spent: { at: number; count: number }[] = [];
        for (const [wanted, wait] of plan) {
          const count = Math.min(wanted, pace.available("bodies"));
          pace.spend("bodies", count);
          spent.push({ at: clock.now(), count });
          clock.pass(wait);
        }
        // The peer's own count: a full bucket that refills evenly.
        let left = 256;
        let last = 0;
        for (const { at, count } of spent) {
          left = Math.min(256, left + ((at - last) * 256) / 10_000) - count;
          last = at;
          assert(left >= -1e-6);
        }
      }),
    );
  });

  it("pauses", () => {
    const clock = new ManualClock();
    const pace = new RequestPace(clock, () => RATES);
    assert.equal(pace.available("skeleton"), 9);
    pace.spend("skeleton", 9);
    assert.equal(pace.available("skeleton"), 0);
    assert(!pace.isRested);
    clock.pass(10_000);
    assert(pace.isRested);
  });
});

describe("batches", () => {
  it("grow with what a peer delivers and shrink to one", () => {
    const throughput = new Throughput();
    assert.equal(throughput.batch, 8);
    for (let i = 0; i < 5; i++) throughput.measured(8, 20);
    assert.equal(throughput.batch, 32);
    for (let i = 0; i < 20; i++) throughput.measured(1, 5000);
    assert.equal(throughput.batch, 1);
  });
});

describe("bounds", () => {
  const never = new AbortController().signal;

  it("end work that exceeds them, and leave no timers", async () => {
    const clock = new ManualClock();
    const hanging = bounded(() => new Promise(() => undefined), 100, { clock, signal: never, what: "it" });
    clock.pass(100);
    await assert.rejects(hanging, /TIMED_OUT what=it/);
    assert.equal(await bounded(async () => 5, 100, { clock, signal: never, what: "it" }), 5);
    await assert.rejects(
      bounded(() => Promise.reject(new Error("own")), 100, { clock, signal: never, what: "it" }),
      /own/,
    );
    assert.equal(clock.pending, 0);
  });

  it("abort the work", async () => {
    const clock = new ManualClock();
    const outer = new AbortController();
    let inner: AbortSignal | undefined;
    const work = (signal: AbortSignal) => {
      inner = signal;
      return new Promise(() => undefined);
    };
    const result = bounded(work, 100, { clock, signal: outer.signal, what: "it" });
    outer.abort(new Error("stop"));
    await assert.rejects(result, /stop/);
    assert(inner?.aborted);
    assert.equal(clock.pending, 0);
  });

  it("hold for each item and for all of them", async () => {
    const clock = new ManualClock();
    const limits = { firstItem: 100, betweenItems: 50, whole: 120 };
    async function* items() {
      for (;;) {
        clock.pass(30);
        yield 1;
      }
    }
    let count = 0;
    const reading = (async () => {
      for await (const item of boundedItems(() => items(), limits, { clock, signal: never, what: "items" }))
        count += item;
    })();
    await assert.rejects(reading, /TIMED_OUT/);
    assert(count >= 2 && count <= 4, `${count}`);
    assert.equal(clock.pending, 0);
  });
});

describe("progress", () => {
  it("measures the speed over half a minute", () => {
    const clock = new ManualClock();
    const meter = new SpeedMeter(clock);
    for (let i = 0; i < 100; i++) {
      for (let j = 0; j < 10; j++) meter.count();
      clock.pass(100);
    }
    assert.equal(meter.perSecond, 100);
    clock.pass(15_000);
    assert.equal(meter.perSecond, 40);
    clock.pass(60_000);
    assert.equal(meter.perSecond, 0);
  });

  it("makes one line", () => {
    const common = { phase: "bodies", current: 500, target: 2000, peers: 3, from: "a" } as const;
    const line = statusLine({ ...common, blocksPerSecond: 123.4, mgasPerSecond: 45.6, timeLeft: 12.2 });
    assert.equal(line, "Syncing: block 500 of 2000 (25.0 %), 123 blocks/s, 46 Mgas/s, 3 peers, 12 s left");
    const slow = statusLine({ ...common, blocksPerSecond: 0.02, mgasPerSecond: 0, timeLeft: 75_000 });
    assert.equal(slow, "Syncing: block 500 of 2000 (25.0 %), 0.0 blocks/s, 0.0 Mgas/s, 3 peers, 20 h 50 min left");
    const idle = {
      ...common,
      phase: "following",
      target: 500,
      peers: 1,
      blocksPerSecond: 0,
      mgasPerSecond: 0,
      timeLeft: undefined,
    } as const;
    assert.equal(statusLine(idle), "Following: block 500, 1 peer");
  });

  it("notifies of start and end of a long synchronisation once, even if listeners fail", () => {
    let current = 5;
    const sync = new LongSync(() => current);
    const received: unknown[] = [];
    sync.onChange(() => {
      throw new Error("listener");
    });
    const stop = sync.onChange((status) => received.push(status));
    sync.start(100);
    sync.start(200);
    current = 50;
    assert.deepEqual(sync.status, { startingBlock: 5, currentBlock: 50, highestBlock: 100 });
    sync.end();
    sync.end();
    stop();
    sync.start(1);
    assert.deepEqual(received, [{ startingBlock: 5, currentBlock: 5, highestBlock: 100 }, false]);
  });
});
