import assert from "node:assert/strict";
import { ManualClock } from "@cambium/test-utils/manual-clock";
import type { RlpxPeer } from "../../src/rlpx/peer.js";
import { StalledPeers } from "../../src/rlpx/stalled-peers.js";

const OWN = 100n;

function inbound(): { id: string; direction: string; status: { totalDifficulty: bigint } } {
  return { id: "peer", direction: "inbound", status: { totalDifficulty: 10n } };
}

describe("stalled peers", () => {
  const clock = new ManualClock();
  let stalled: StalledPeers;
  let peer: RlpxPeer;

  beforeEach(() => {
    stalled = new StalledPeers(clock);
    peer = inbound() as RlpxPeer;
  });

  /** Sends a Status every eleven seconds. */
  function sends(count: number, claimed = 10n): boolean {
    let isStalled = false;
    for (let i = 0; i < count; i++) {
      clock.pass(11_000);
      isStalled ||= stalled.isStalled(peer, claimed, OWN);
    }
    return isStalled;
  }

  it("claim less than this node, and neither progress nor ask for anything", () => {
    assert.equal(sends(4), false);
    assert.equal(sends(1), true);
  });

  it("are judged once in ten minutes", () => {
    assert.equal(sends(5), true);
    peer = inbound() as RlpxPeer;
    assert.equal(sends(50), false);
    assert.equal(sends(10), true);
  });

  it("do not ask", () => {
    for (let i = 0; i < 10; i++) {
      stalled.noteRequest(peer);
      assert.equal(sends(3), false);
    }
  });

  it("do not claim more than before, nor as much as this node", () => {
    assert.equal(sends(10, 11n), false);
    assert.equal(sends(10, OWN), false);
  });

  it("have dialled this node", () => {
    peer = { ...inbound(), direction: "outbound" } as RlpxPeer;
    assert.equal(sends(10), false);
  });
});
