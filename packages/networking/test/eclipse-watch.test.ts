import assert from "node:assert/strict";
import type { Peer } from "../src/interface.js";
import { PUBLIC_LIMITS } from "../src/options.js";
import { EclipseWatch, peerToReplace } from "../src/peers/eclipse-watch.js";

const HOUR = 3_600_000;
const OWN = 100n;

const claiming = (totalDifficulty: bigint) => ({ status: { totalDifficulty } as Peer["status"] });

describe("watch for eclipse", () => {
  let now: number;
  let libp2p: { status: Peer["status"] }[];
  let rlpx: { status: Peer["status"] }[];
  let watch: EclipseWatch;

  beforeEach(() => {
    now = 0;
    libp2p = [claiming(OWN - 1n)];
    rlpx = [];
    watch = new EclipseWatch({ ownTotalDifficulty: () => OWN, now: () => now });
    watch.add(() => libp2p);
    watch.add(() => rlpx);
  });

  it("suspects one after an hour in which no peer claims as much work as we have", () => {
    now = HOUR;
    assert.equal(watch.isPossible(), false);
    now++;
    assert.equal(watch.isPossible(), true);
  });

  for (const wire of ["libp2p", "rlpx"]) {
    it(`suspects none while a peer over ${wire} claims as much`, () => {
      (wire === "libp2p" ? libp2p : rlpx).push(claiming(OWN));
      now = 2 * HOUR;
      assert.equal(watch.isPossible(), false);
      libp2p = [];
      rlpx = [];
      now += HOUR;
      assert.equal(watch.isPossible(), false);
      now++;
      assert.equal(watch.isPossible(), true);
      rlpx = [claiming(OWN + 1n)];
      assert.equal(watch.isPossible(), false);
    });
  }
});

describe("the peer that makes room for a boot node", () => {
  const limits = { ...PUBLIC_LIMITS, maximum: 4 };
  const peer = (id: string, direction: Peer["direction"], totalDifficulty: bigint, isTrusted = false) => ({
    id,
    direction,
    isTrusted,
    ...claiming(totalDifficulty),
  });

  it("is an outbound one with the least work", () => {
    const peers = [
      peer("inbound", "inbound", 1n),
      peer("more", "outbound", 3n),
      peer("less", "outbound", 2n),
      peer("trusted", "outbound", 0n, true),
    ];
    assert.equal(peerToReplace(peers, limits), undefined);
    assert.equal(peerToReplace([...peers, peer("another", "inbound", 0n)], limits)?.id, "less");
  });

  it("is an inbound one if there are no others", () => {
    const peers = [1n, 0n, 2n, 3n].map((work) => peer(`${work}`, "inbound", work));
    assert.equal(peerToReplace(peers, limits)?.id, "0");
  });
});
