import assert from "node:assert/strict";
import {
  chainHeaderRules,
  consensusProfile,
  executionProfile,
  headerRules,
  relayProfile,
  type ValidationProfile,
} from "../../src/index.js";

const namesOf = (rules: readonly { name: string }[]) => rules.map(({ name }) => name);
const namesIn = ({ parentRules, blockRules, executionRules }: ValidationProfile) =>
  [parentRules, blockRules, executionRules].flatMap(namesOf);

// spec/02 §3.1
describe("rule sets", () => {
  it("on receipt", () => {
    assert.deepEqual(namesOf(headerRules), ["notGenesis", "proofOfWork", "timestamp"]);
  });

  it("of the headers that are downloaded", () => {
    assert.deepEqual(namesOf(chainHeaderRules), [
      "parentNumber",
      "difficulty",
      "gasLimitStep",
      "gasLimitMinimum",
      "minimumGasPriceStep",
      "extraDataSize",
      "notGenesis",
      "proofOfWork",
      "timestamp",
    ]);
  });

  it("before relay", () => {
    assert.deepEqual(namesOf(relayProfile.childRules), [
      "notGenesis",
      "extraDataSize",
      "minimumGasPriceStep",
      "gasLimitStep",
      "difficulty",
      "parentNumber",
      "timestamp",
      "timestampAfterParent",
    ]);
  });

  it("of consensus", () => {
    assert.deepEqual(namesOf(consensusProfile.parentRules), [
      "notGenesis",
      "transactionFields",
      "transactionNonces",
      "minimumGasPriceStep",
      "parentNumber",
      "difficulty",
      "gasLimitStep",
    ]);
    assert.deepEqual(namesOf(consensusProfile.blockRules), [
      "transactionGasPriceMinimum",
      "transactionGasPriceCap",
      "unclesHash",
      "uncleFamily",
      "uncleHeaders",
      "transactionsRoot",
      "proofOfWork",
      "rewardTransactionLast",
      "timestamp",
      "gasLimitMinimum",
      "extraDataSize",
      "forkDetectionData",
      "executionEdges",
    ]);
    assert.deepEqual(namesOf(consensusProfile.executionRules), [
      "stateRoot",
      "receiptsRoot",
      "logsBloom",
      "gasUsed",
      "paidFees",
    ]);
  });

  it("contain no rule twice, and the reduced set is a subset", () => {
    const all = namesIn(consensusProfile);
    assert.equal(new Set(all).size, all.length);
    for (const name of namesIn(executionProfile)) assert.ok(all.includes(name), name);
  });

  it("do not compare the block's timestamp with its parent's (spec/02 §10, Q2)", () => {
    assert.ok(!namesIn(consensusProfile).includes("timestampAfterParent"));
  });
});
