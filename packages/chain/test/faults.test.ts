import assert from "node:assert/strict";
import { type BlockFault, faultSubject } from "../src/index.js";

describe("what a fault is about", () => {
  it("is the block where every encoding with its hash has the fault", () => {
    const hash = new Uint8Array(32);
    const faults: BlockFault[] = [
      { code: "STATE_ROOT", expected: hash, actual: hash },
      { code: "TRANSACTION_NONCE", index: 0, expected: 0n, actual: 1n },
      { code: "UNCLE_HEADER", index: 0, rule: "PROOF_OF_WORK", reason: "" },
      { code: "UNCLE_HEADER", index: 0, rule: "TIMESTAMP_PARENT", reason: "" },
    ];
    for (const fault of faults) assert.equal(faultSubject(fault), "block", fault.code);
  });

  it("is the encoding where the hash does not cover what is wrong", () => {
    const hash = new Uint8Array(32);
    const faults: BlockFault[] = [
      { code: "DECODING", reason: "" },
      { code: "TRANSACTIONS_ROOT", expected: hash, actual: hash },
      { code: "UNCLES_HASH", expected: hash, actual: hash },
      { code: "PROOF_OF_WORK", reason: "" },
      { code: "FORK_DETECTION_DATA", reason: "" },
    ];
    for (const fault of faults) assert.equal(faultSubject(fault), "encoding", fault.code);
  });

  it("is the node where its clock, its rules of relaying or a missing method are in the way", () => {
    const faults: BlockFault[] = [
      { code: "TIMESTAMP_FUTURE", latest: 1n, actual: 2n },
      { code: "TIMESTAMP_PARENT", parent: 2n, actual: 1n },
      { code: "UNCLE_HEADER", index: 0, rule: "TIMESTAMP_FUTURE", reason: "" },
      { code: "BRIDGE_METHOD_UNAVAILABLE", index: 0, method: "getFee" },
    ];
    for (const fault of faults) assert.equal(faultSubject(fault), "node", fault.code);
  });
});
