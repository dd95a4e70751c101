import assert from "node:assert/strict";
import { type BlockFault, faultSubject } from "../src/index.js";

describe("subject of a fault", () => {
  it("is the block if every encoding with its hash has the fault", () => {
    const hash = new Uint8Array(32);
    const faults: BlockFault[] = [
      { code: "STATE_ROOT", expected: hash, actual: hash },
      { code: "TRANSACTION_NONCE", index: 0, expected: 0n, actual: 1n },
      { code: "UNCLE_HEADER", index: 0, rule: "PROOF_OF_WORK", reason: "" },
      { code: "UNCLE_HEADER", index: 0, rule: "TIMESTAMP_PARENT", reason: "" },
    ];
    for (const fault of faults) assert.equal(faultSubject(fault), "block", fault.code);
  });

  it("is the encoding if the hash does not cover the faulty data", () => {
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

  it("is the node if its clock or its relay rules are the cause", () => {
    const faults: BlockFault[] = [
      { code: "TIMESTAMP_FUTURE", latest: 1n, actual: 2n },
      { code: "TIMESTAMP_PARENT", parent: 2n, actual: 1n },
      { code: "UNCLE_HEADER", index: 0, rule: "TIMESTAMP_FUTURE", reason: "" },
    ];
    for (const fault of faults) assert.equal(faultSubject(fault), "node", fault.code);
  });
});
