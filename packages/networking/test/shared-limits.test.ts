import assert from "node:assert/strict";
import { fc } from "@cambium/test-utils/properties";
import type { WireName } from "../src/interface.js";
import { PUBLIC_LIMITS } from "../src/options.js";
import { SharedLimits } from "../src/peers/shared-limits.js";

const BOTH: readonly WireName[] = ["libp2p", "rlpx"];

function withCounts(names: readonly WireName[], counts: Record<WireName, number>): SharedLimits {
  const limits = new SharedLimits(PUBLIC_LIMITS, names);
  for (const name of names) limits.register(name, { count: () => counts[name], has: (peer) => peer === name });
  return limits;
}

describe("limits shared between wires", () => {
  it("are the whole ones of a single wire", () => {
    const { maximum, target, minimumOutbound } = withCounts(["rlpx"], { libp2p: 0, rlpx: 0 }).of("rlpx");
    assert.deepEqual({ maximum, target, minimumOutbound }, { maximum: 60, target: 30, minimumOutbound: 16 });
  });

  it("keep a quarter of the places for each wire", () => {
    const counts = { libp2p: 0, rlpx: 0 };
    const limits = withCounts(BOTH, counts);
    assert.equal(limits.of("rlpx").maximum, 45);
    counts.libp2p = 40;
    assert.equal(limits.of("rlpx").maximum, 20);
    counts.libp2p = 45;
    assert.equal(limits.of("rlpx").maximum, 15);
  });

  it("look for half of the wanted peers on each wire, and for all if the other finds none", () => {
    const counts = { libp2p: 0, rlpx: 0 };
    const limits = withCounts(BOTH, counts);
    assert.equal(limits.of("rlpx").target, 30);
    counts.libp2p = 20;
    assert.equal(limits.of("rlpx").target, 15);
  });

  it("keep sixteen places for outbound peers of each wire, and at most half of its places", () => {
    const counts = { libp2p: 0, rlpx: 0 };
    const limits = withCounts(BOTH, counts);
    assert.equal(limits.of("rlpx").minimumOutbound, 16);
    counts.libp2p = 45;
    assert.equal(limits.of("rlpx").minimumOutbound, 8);
  });

  it("are never exceeded by wires that each keep to theirs", () => {
    const moves = fc.array(fc.tuple(fc.constantFrom(...BOTH), fc.boolean()), { maxLength: 200 });
    fc.assert(
      fc.property(moves, (steps) => {
        const counts = { libp2p: 0, rlpx: 0 };
        const limits = withCounts(BOTH, counts);
        for (const [wire, opens] of steps) {
          if (!opens) counts[wire] = Math.max(0, counts[wire] - 1);
          else if (counts[wire] < limits.of(wire).maximum) counts[wire]++;
          assert(counts.libp2p + counts.rlpx <= PUBLIC_LIMITS.maximum);
          for (const name of BOTH) assert(counts[name] <= limits.of(name).maximum);
        }
      }),
    );
  });

  it("know who is connected over another wire", () => {
    const limits = withCounts(BOTH, { libp2p: 1, rlpx: 1 });
    assert(limits.isConnectedElsewhere("rlpx", "libp2p"));
    assert(!limits.isConnectedElsewhere("rlpx", "rlpx"));
  });
});
