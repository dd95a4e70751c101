import assert from "node:assert/strict";
import { Health } from "../src/health.js";

describe("the readiness of a node", () => {
  const trust = "signers and work since 4";
  const NOW = 1_000_000;

  interface Situation {
    phase: "following" | "bodies" | "snapshot";
    target: number;
    peers: number;
    blocksPerSecond?: number;
    timeLeft?: number;
    advice?: string;
  }

  function healthAt(number: number, progress?: Situation, { age = 20, areNeeded = true } = {}) {
    const header = { number, timestamp: BigInt(NOW - age) };
    const network = { isLocal: !areNeeded, trust: () => trust };
    const health = new Health({ best: () => ({ header }) } as never, network, 10, () => NOW);
    if (progress === undefined) return health;
    const { advice, blocksPerSecond = 0, timeLeft, ...rest } = progress;
    health.addPeers({ progress: () => ({ ...rest, blocksPerSecond, timeLeft }), advice: () => advice });
    return health;
  }

  function statusAt(...situation: Parameters<typeof healthAt>) {
    const health = healthAt(...situation);
    health.serves();
    return health.readiness();
  }

  /** Members that are the same in every answer. */
  const REST = { trust, remedy: null, blockAge: 20, progress: null, blocksPerSecond: 0, timeLeft: null };

  it("needs JSON-RPC", () => {
    const health = healthAt(5);
    const expected = { block: 5, target: 5, peers: undefined, ...REST };
    const reasons = ["JSON-RPC is not served yet"];
    assert.deepEqual(health.readiness(), { ready: false, reasons, state: "starting", ...expected });
    health.serves();
    assert.deepEqual(health.readiness(), { ready: true, reasons: [], state: "alone", ...expected });
  });

  it("needs a best block that is not far below the target", () => {
    for (const [target, ready] of [
      [110, true],
      [111, false],
    ] as const) {
      const health = healthAt(100, { phase: "bodies", target, peers: 2 });
      health.serves();
      const reasons = ready ? [] : ["11 blocks behind block 111, more than 10"];
      const state = ready ? "synchronised" : "behind";
      assert.deepEqual(health.readiness(), { ready, reasons, state, block: 100, target, peers: 2, ...REST });
    }
  });

  it("needs a peer, a chain that imports, and no snapshot under way", () => {
    const alone = healthAt(100, { phase: "following", target: 100, peers: 0 });
    alone.serves();
    assert.deepEqual(alone.readiness().reasons, ["no peer is connected"]);
    const failed = healthAt(100);
    failed.serves();
    failed.fails(new Error("the disk is full"));
    assert.deepEqual(failed.readiness().reasons, ["the chain imports no more blocks: the disk is full"]);
    const empty = healthAt(0, { phase: "snapshot", target: 5000, peers: 1 });
    assert.deepEqual(empty.readiness().reasons, [
      "a snapshot is being downloaded",
      "5000 blocks behind block 5000, more than 10",
    ]);
  });

  it("has one state, with what to do about it", () => {
    const stateAt = (...situation: Parameters<typeof healthAt>) => {
      const { state, remedy } = statusAt(...situation);
      return [state, remedy];
    };
    const following = { phase: "following", target: 100, peers: 3 } as const;
    assert.deepEqual(stateAt(100, following), ["synchronised", null]);
    assert.deepEqual(stateAt(100, { ...following, peers: 0, advice: "check" }), ["no-peers", "check"]);
    assert.deepEqual(stateAt(100, { ...following, advice: "check" }), ["synchronised", null]);
    assert.deepEqual(stateAt(0, { ...following, target: 0 }), ["synchronising", null]);
    const [stalled, remedy] = stateAt(100, following, { age: 540 });
    assert.equal(stalled, "stalled");
    assert.match(remedy!, /block explorer/);
  });

  it("is that of a local network, which needs no peers and has blocks when it wants", () => {
    const following = { phase: "following", target: 0, peers: 0, advice: "check" } as const;
    const { state, remedy, ready } = statusAt(0, following, { age: 1e9, areNeeded: false });
    assert.deepEqual([state, remedy, ready], ["alone", null, true]);
    const connected = statusAt(5, { ...following, target: 5, peers: 1 }, { age: 1e4, areNeeded: false });
    assert.equal(connected.state, "synchronised");
  });

  it("tells how far synchronisation is, and how fast", () => {
    const situation = {
      phase: "bodies",
      target: 1_000_000,
      peers: 2,
      blocksPerSecond: 12.34,
      timeLeft: 46_353.4,
    } as const;
    const { state, progress, blocksPerSecond, timeLeft, blockAge } = statusAt(428_000, situation, { age: 86_400 });
    assert.deepEqual([state, progress, blocksPerSecond, timeLeft], ["synchronising", 42.8, 12.34, 46_353]);
    assert.equal(blockAge, 86_400);
    assert.equal(statusAt(0).blockAge, null);
  });

  it("needs, for a replica, a writer that is not far ahead and a stream that answers", () => {
    const replicaAt = (number: number, target: number, silence: number | undefined, isForeign = false) => {
      const health = healthAt(number);
      health.addWriter(() => ({ target, silence, isForeign }));
      health.serves();
      return health.readiness();
    };
    assert.equal(replicaAt(100, 110, 500).ready, true);
    assert.deepEqual(replicaAt(100, 111, 500).reasons, ["11 blocks behind block 111, more than 10"]);
    assert.deepEqual(replicaAt(100, 100, 30_000).reasons, [
      "the stream of the writer's batches has not answered for 30 s",
    ]);
    assert.deepEqual(
      [replicaAt(100, 100, 500).state, replicaAt(100, 100, 30_000).state, replicaAt(100, 120, 500).state],
      ["synchronised", "no-writer", "behind"],
    );
    assert.deepEqual(replicaAt(100, 0, undefined).reasons, ["the stream of the writer's batches has not answered"]);
    assert.deepEqual(replicaAt(100, 100, 500, true).reasons, [
      "no message of the stream is sealed with this node's key",
    ]);
  });
});
