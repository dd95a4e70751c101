import assert from "node:assert/strict";
import { Health } from "../src/health.js";

describe("the readiness of a node", () => {
  const trust = "signers and work since 4";

  function healthAt(
    number: number,
    progress?: { phase: "following" | "bodies" | "snapshot"; target: number; peers: number },
  ) {
    const chain = { best: () => ({ header: { number } }), trust: () => ({ basis: "signers", since: 4 }) };
    const health = new Health(chain as never, 10);
    if (progress !== undefined) health.addPeers({ progress: () => progress }, true);
    return health;
  }

  it("needs JSON-RPC", () => {
    const health = healthAt(5);
    const expected = { block: 5, target: 5, peers: undefined, trust };
    assert.deepEqual(health.readiness(), { ready: false, reasons: ["JSON-RPC is not served yet"], ...expected });
    health.serves();
    assert.deepEqual(health.readiness(), { ready: true, reasons: [], ...expected });
  });

  it("needs a best block that is not far below the target", () => {
    for (const [target, ready] of [
      [110, true],
      [111, false],
    ] as const) {
      const health = healthAt(100, { phase: "bodies", target, peers: 2 });
      health.serves();
      const reasons = ready ? [] : ["11 blocks behind block 111, more than 10"];
      assert.deepEqual(health.readiness(), { ready, reasons, block: 100, target, peers: 2, trust });
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
    assert.deepEqual(replicaAt(100, 0, undefined).reasons, ["the stream of the writer's batches has not answered"]);
    assert.deepEqual(replicaAt(100, 100, 500, true).reasons, [
      "no message of the stream is sealed with this node's key",
    ]);
  });
});
