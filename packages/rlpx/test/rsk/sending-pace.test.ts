import assert from "node:assert/strict";
import { fc, runs } from "@cambium/test-utils/properties";
import { PACE_LIMIT, SendingPace, STEADY_INTERVAL, PACE_WINDOW as WINDOW } from "../../src/rsk/sending-pace.js";

/** Returns the maximum number of messages in any window; `times` ascend. */
function densest(times: readonly number[]): number {
  let most = 0;
  for (let start = 0, end = 0; end < times.length; end++) {
    while (times[end]! - times[start]! >= WINDOW) start++;
    most = Math.max(most, end - start + 1);
  }
  return most;
}

/** Sends at the earliest times from `start` to `end`. */
function saturate(pace: SendingPace, limit: number, start: number, end: number): number[] {
  const times: number[] = [];
  for (let time = pace.earliest(limit, start); time < end; time = pace.earliest(limit, time)) {
    pace.note(time);
    times.push(time);
  }
  return times;
}

describe("sending pace", () => {
  it("sends the first at once and spreads the rest over the window", () => {
    const times = saturate(new SendingPace(), PACE_LIMIT, 0, WINDOW);
    assert.equal(times.length, PACE_LIMIT);
    assert.equal(times.filter((time) => time === 0).length, PACE_LIMIT - 420 + 1);
  });

  it("reaches the limit in every window", () => {
    const times = saturate(new SendingPace(), 840, 0, 10 * WINDOW);
    assert.equal(densest(times), 840);
    assert.equal(times.length, 8400);
  });

  it("keeps messages with a higher limit in reserve", () => {
    const pace = new SendingPace();
    for (let second = 0; second < 300; second++) {
      saturate(pace, 840, 1000 * second, 1000 * second + 1000);
      if (second % 2 === 0) continue;
      assert.equal(pace.earliest(PACE_LIMIT, 1000 * second + 1000), 1000 * second + 1000);
      pace.note(1000 * second + 1000);
    }
  });

  it("never exceeds the limit in any window, whatever the load, and always goes on at the steady rate", () => {
    const phase = fc.record({
      pause: fc.oneof(fc.constant(0), fc.nat(200), fc.nat(70_000)),
      messages: fc.oneof(fc.nat(3), fc.nat(1200)),
      gap: fc.oneof(fc.constant(0), fc.nat(30), fc.nat(400)),
      limit: fc.constantFrom(780, 840, PACE_LIMIT),
    });
    fc.assert(
      fc.property(fc.array(phase, { minLength: 1, maxLength: 8 }), fc.boolean(), (phases, isMixed) => {
        const pace = new SendingPace();
        const times: number[] = [];
        let now = 0;
        for (const { pause, messages, gap, limit } of phases) {
          const used = isMixed ? limit : 840;
          now += pause;
          for (let i = 0; i < messages; i++) {
            const time = pace.earliest(used, now);
            if (!isMixed) assert(time - Math.max(now, times.at(-1) ?? 0) <= STEADY_INTERVAL + 2, `waits ${time - now}`);
            pace.note(time);
            times.push(time);
            now = time + gap;
          }
        }
        assert(densest(times) <= (isMixed ? PACE_LIMIT : 840));
      }),
      { numRuns: runs(60) },
    );
  });
});
