import assert from "node:assert/strict";
import type { Connection } from "@libp2p/interface";
import { multiaddr } from "@multiformats/multiaddr";
import { Session } from "../src/libp2p/sessions/session.js";
import { NODE_PUNISHMENT } from "../src/scoring/punishment.js";
import { ScoreCard } from "../src/scoring/score-card.js";

const HOUR = 3_600_000;
const MEGABYTE = 1024 * 1024;

/** A peer that is connected. */
function connectedSession(): Session {
  const connection = { remotePeer: "peer", remoteAddr: multiaddr("/ip4/192.0.2.1/tcp/1"), direction: "outbound" };
  return new Session(connection as unknown as Connection, false, 0, {} as never);
}

describe("a clock that jumps", () => {
  const systemTime = Date.now;

  afterEach(() => {
    Date.now = systemTime;
  });

  for (const hours of [-5, 5]) {
    it(`neither stops nor unlimits what is sent to a peer if it jumps by ${hours} hours`, () => {
      const session = connectedSession();
      while (session.outboundBytes.take(MEGABYTE) === 0);
      Date.now = () => systemTime() + hours * HOUR;
      const wait = session.outboundBytes.take(MEGABYTE);
      assert.ok(wait > 0 && wait < 10_000, `${wait} ms`);
    });
  }

  it("does not prolong a stored punishment if it was set back while the node did not run", () => {
    const now = systemTime();
    const stored = { counters: {}, score: 0, punishments: 1, punishedAt: now + 5 * HOUR, punishedFor: HOUR };
    const card = ScoreCard.restore(NODE_PUNISHMENT, stored, now);
    assert.equal(card.isGood(now + HOUR - 1), false);
    assert.equal(card.isGood(now + HOUR), true);
  });
});
