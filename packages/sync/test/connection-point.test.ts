import assert from "node:assert/strict";
import type { Peer, PeerStatus } from "@cambium/networking";
import { numberToBytes, platformClock } from "@cambium/primitives";
import { UNLIMITED } from "@cambium/test-utils/peers/peer-capabilities";
import { fc, runs } from "@cambium/test-utils/properties";
import type { BlockHeader } from "@cambium/types";
import { type ConnectionPointParts, findConnectionPoint } from "../src/engine/connection-point.js";
import { PeerCoordinator } from "../src/engine/peer-coordinator.js";
import type { Checkpoint } from "../src/index.js";
import { Wakeup } from "../src/shared/wakeup.js";

/** A hash that contains its height and its chain. */
const hashOf = (number: number, brand: number) => Uint8Array.from([brand, ...numberToBytes(number + 1)]);

interface Case {
  ours: number;
  theirs: number;
  common: number;
  earliest?: number;
  checkpoint?: Checkpoint;
  /** Lowest block that the peer serves. */
  served?: number;
  wire?: Peer["wire"];
}

describe("connection point", () => {
  const signal = new AbortController().signal;

  function situation({ ours, theirs, common, earliest = 0, checkpoint, served = 0, wire = "rlpx" }: Case) {
    const known = new Map<string, BlockHeader>();
    for (let number = 0; number <= ours; number++) {
      const hash = hashOf(number, number <= common ? 0 : 1);
      known.set(hash.join(), { number, hash } as BlockHeader);
    }
    const status = { bestNumber: theirs, totalDifficulty: 1n, earliestBody: served } as PeerStatus;
    const peer = { id: "a", status, capabilities: UNLIMITED, wire } as Peer;
    let rounds = 0;
    let lowest = Number.POSITIVE_INFINITY;
    const hashes = async (_: string, heights: readonly number[]) => {
      rounds++;
      lowest = Math.min(lowest, ...heights.filter((height) => height > 0));
      assert(heights.length <= 16 && heights.every((height) => height >= 0));
      return heights.map((height) => (height > theirs ? undefined : hashOf(height, height <= common ? 0 : 2)));
    };
    const network = { hashes, peers: () => [peer], peer: () => peer } as never;
    const chain = {
      best: () => ({ header: { number: ours } }),
      earliestBlock: () => earliest,
      headerByHash: (hash: Uint8Array) => known.get(hash.join()),
    } as unknown as ConnectionPointParts["chain"];
    const changed = new Wakeup(platformClock);
    const coordinator = new PeerCoordinator({ network, clock: platformClock, changed });
    const parts = { chain, network, coordinator, checkpoint };
    return { find: () => findConnectionPoint(peer, parts, signal), rounds: () => rounds, lowest: () => lowest };
  }

  it("is the highest block that both have", async () => {
    const heights = fc.nat(5000);
    await fc.assert(
      fc.asyncProperty(heights, heights, heights, async (ours, theirs, wish) => {
        const common = Math.min(ours, theirs, wish);
        const { find, rounds } = situation({ ours, theirs, common });
        assert.equal((await find()).number, common);
        assert(rounds() <= 5, `${rounds()} rounds`);
      }),
      { numRuns: runs(60) },
    );
  });

  it("takes two requests if the peer only has more blocks", async () => {
    const { find, rounds } = situation({ ours: 4000, theirs: 5000, common: 4000 });
    await find();
    assert.equal(rounds(), 2);
  });

  it("is never below the lowest stored block", async () => {
    const { find } = situation({ ours: 100, theirs: 100, common: 40, earliest: 50 });
    await assert.rejects(find(), /NO_CONNECTION_POINT/);
    const above = situation({ ours: 100, theirs: 100, common: 70, earliest: 50 });
    assert.equal((await above.find()).number, 70);
  });

  it("is sought only among the blocks that a deployed node serves", async () => {
    const found = situation({ ours: 100, theirs: 200, common: 90, served: 80 });
    assert.equal((await found.find()).number, 90);
    assert.ok(found.lowest() >= 80);
    const none = situation({ ours: 100, theirs: 200, common: 70, served: 80 });
    await assert.rejects(none.find(), /NO_CONNECTION_POINT/);
    assert.equal(none.lowest(), 80);
    // Over libp2p, a peer lacks only bodies below its range.
    const own = situation({ ours: 100, theirs: 200, common: 70, served: 80, wire: "libp2p" });
    assert.equal((await own.find()).number, 70);
  });

  it("needs the checkpoint", async () => {
    const checkpoint = { number: 60, hash: hashOf(60, 0) };
    const found = situation({ ours: 10, theirs: 100, common: 10, checkpoint });
    await assert.rejects(found.find(), /^SyncError: CHECKPOINT number=60/);
    const missing = situation({ ours: 10, theirs: 50, common: 10, checkpoint });
    await assert.rejects(missing.find(), /CHECKPOINT_MISSING/);
    const good = situation({ ours: 100, theirs: 100, common: 80, checkpoint });
    assert.equal((await good.find()).number, 80);
  });
});
