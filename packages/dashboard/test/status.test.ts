import assert from "node:assert/strict";
import { statusOf } from "../web/format/status.js";
import type { Connection, Readiness } from "../web/node/types.js";

const NOW = 1_000_000_000;

const READY: Readiness = {
  ready: true,
  reasons: [],
  state: "synchronised",
  remedy: null,
  block: 100,
  target: 100,
  blockAge: 20,
  progress: null,
  blocksPerSecond: 0,
  timeLeft: null,
  peers: 3,
  trust: "work since genesis",
};

function statusAt(readiness: Partial<Readiness>, changes: Partial<Connection> = {}) {
  const connection: Connection = {
    transport: "websocket",
    readiness: { ...READY, ...readiness },
    problem: undefined,
    lastAnswer: NOW,
    chainId: 30,
    ...changes,
  };
  const { tone, title, detail, remedy } = statusOf(connection, NOW);
  return [tone, title, detail, remedy];
}

describe("the status of the node, in words", () => {
  it("is what the node says, with its reason and remedy", () => {
    assert.deepEqual(statusAt({}), ["good", "Synchronised", "follows the chain", undefined]);
    const alone = statusAt({ state: "no-peers", remedy: "Check the cable" });
    assert.deepEqual(alone, ["bad", "No peers", undefined, "Check the cable"]);
    const moving = { progress: 43.21, blocksPerSecond: 12.3, timeLeft: 11_000 };
    assert.deepEqual(statusAt({ state: "synchronising", ...moving }).slice(0, 3), [
      "accent",
      "Synchronising 43 %",
      "12.3 blocks/s, 3 h left",
    ]);
    assert.equal(statusAt({ state: "synchronising", progress: 99.96 })[1], "Synchronising 99.9 %");
    assert.equal(statusAt({ state: "behind", target: 112 })[1], "12 blocks behind");
    assert.equal(statusAt({ state: "stalled", blockAge: 541 })[1], "No new block for 9 min");
    assert.deepEqual(statusAt({ state: "failed", reasons: ["the disk is full"] }).slice(1, 3), [
      "The chain has stopped",
      "the disk is full",
    ]);
  });

  it("is that of its own chain for a development network, which needs no peers", () => {
    assert.equal(statusAt({ state: "alone" }, { chainId: 33 })[1], "Local chain");
    assert.equal(statusAt({ state: "alone" })[1], "Runs without peers");
  });

  it("is never what an old answer says", () => {
    const silent = { transport: "offline", lastAnswer: NOW - 125_000 } as const;
    assert.deepEqual(statusAt({}, silent), ["bad", "Node does not answer", "for 2 min 5 s", undefined]);
    assert.equal(statusAt({}, { problem: "out of order" })[2], "out of order");
    assert.equal(statusAt({}, { transport: "needs key" })[1], "API key needed");
    assert.equal(statusAt({}, { readiness: undefined })[1], "Status unknown");
  });
});
