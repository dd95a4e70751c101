import assert from "node:assert/strict";
import { EMPTY_BYTES } from "@cambium/primitives";
import type { HeavyRequest } from "../src/heavy/messages.js";
import { PendingChangesReceiver, PendingChangesSender } from "../src/heavy/pending-changes.js";

const call = { from: EMPTY_BYTES, to: undefined, gas: undefined, gasPrice: 0n, value: 0n, data: EMPTY_BYTES };
const atLatest = { call, blockHash: EMPTY_BYTES, overrides: [], gasCap: 0 };
const proof: HeavyRequest = { name: "proof", request: { blockHash: EMPTY_BYTES, address: EMPTY_BYTES, keys: [] } };

function at(stateChanges: Uint8Array, name: "call" | "estimateGas" = "call"): HeavyRequest {
  return { name, request: { ...atLatest, pending: { header: Uint8Array.of(stateChanges.length), stateChanges } } };
}

describe("new nodes of a pending block", () => {
  it("are sent to a thread once, and are part of every request there", () => {
    const sender = new PendingChangesSender();
    const receiver = new PendingChangesReceiver();
    const [first, second] = [new Uint8Array(1000).fill(1), new Uint8Array(2000).fill(2)];
    const latest: HeavyRequest = { name: "call", request: atLatest };
    const steps: [HeavyRequest, number][] = [
      [at(first), 1000],
      [at(first), 0],
      [latest, 0],
      [at(first, "estimateGas"), 0],
      [at(second), 2000],
      [proof, 0],
      [at(second), 0],
      [at(first), 1000],
    ];
    for (const [request, bytes] of steps) {
      const message = structuredClone(sender.reduce(request));
      const sent = "pending" in message.request ? message.request.pending?.stateChanges.length : 0;
      assert.equal(sent ?? 0, bytes);
      assert.deepEqual(receiver.complete(message), request);
    }
  });

  it("are sent to each thread", () => {
    const request = at(new Uint8Array(1000));
    for (let thread = 0; thread < 2; thread++) {
      const message = structuredClone(new PendingChangesSender().reduce(request));
      assert.deepEqual(new PendingChangesReceiver().complete(message), request);
    }
  });
});
