import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { forkDetectionData as dataAfter } from "@cambium/merged-mining";
import { concatBytes, utf8 } from "@cambium/primitives";
import { BlockHeader } from "@cambium/types";
import { forkDetectionFormat } from "../../src/index.js";
import { forkDetectionData } from "../../src/rules/fork-detection.js";
import { branchOf, codeOf, header } from "../support.js";

const { local, main } = NETWORKS;

const branch = Array.from({ length: 460 }, (_, number) => {
  const parentChainHeader = new Uint8Array(80).fill(number % 251);
  return header({ number, uncleCount: 1, parentChainHeader });
});

/** Data that the child of `best` must commit to. */
const expectedAfter = (best: number) => dataAfter(best, (distance) => branch[best - distance]);

/** A header of the local network whose coinbase carries the data. */
function carrying(number: number, data: Uint8Array): BlockHeader {
  const bare = header({
    number,
    ummRoot: new Uint8Array(0),
    version: 2,
    executionEdges: [],
    baseEvent: new Uint8Array(0),
  });
  const prefix = BlockHeader.create(bare.fields(), local, new Uint8Array(12)).hashForMergedMining.subarray(0, 20);
  return bare.with({
    parentChainHeader: new Uint8Array(80),
    parentChainCoinbase: concatBytes(utf8("RSKBLOCK:"), prefix, data),
  });
}

const code = (child: BlockHeader, network = local) =>
  codeOf(() => forkDetectionData(child, child.number - 1, branchOf(branch), network));

describe("fork-detection rule", () => {
  it("compares every byte from height 450 on", () => {
    const right = expectedAfter(449);
    assert.equal(code(carrying(450, right)), undefined);
    for (let i = 0; i < right.length; i++) {
      const wrong = right.slice();
      wrong[i]! ^= 1;
      assert.equal(code(carrying(450, wrong)), "FORK_DETECTION_DATA", `byte ${i}`);
    }
  });

  it("accepts any data at height 449 (spec/02 §10, Q13)", () => {
    assert.equal(code(carrying(449, new Uint8Array(12))), undefined);
  });

  it("compares nothing below height 449 or before RSKIP-110", () => {
    assert.equal(code(header({ number: 448 })), undefined);
    assert.equal(code(header({ number: 1_590_999 }, main), main), undefined);
  });

  it("rejects data missing in the coinbase", () => {
    const child = carrying(450, expectedAfter(449));
    assert.equal(code(child.with({ parentChainCoinbase: Uint8Array.of(1) })), "FORK_DETECTION_DATA");
    const short = child.parentChainCoinbase!.subarray(0, 40);
    assert.equal(code(child.with({ parentChainCoinbase: short })), "FORK_DETECTION_DATA");
  });

  it("rejects a header with missing ancestors", () => {
    const child = carrying(450, expectedAfter(449));
    const gap = branchOf(branch.map((ancestor, number) => (number === 440 ? undefined! : ancestor)));
    assert.equal(
      codeOf(() => forkDetectionData(child, 449, gap, local)),
      "FORK_DETECTION_DATA",
    );
  });
});

describe("fork-detection format", () => {
  const formatCode = (child: BlockHeader) => codeOf(() => forkDetectionFormat(child, local));

  it("detects a wrong number without ancestors", () => {
    const right = expectedAfter(449);
    assert.equal(formatCode(carrying(450, right)), undefined);
    const otherParents = right.map((byte, i) => (i < 8 ? byte ^ 1 : byte));
    assert.equal(formatCode(carrying(450, otherParents)), undefined);
    assert.equal(formatCode(carrying(451, right)), "FORK_DETECTION_DATA");
  });

  it("ignores heights up to 449 and requires the data above", () => {
    assert.equal(formatCode(carrying(449, new Uint8Array(12))), undefined);
    assert.equal(formatCode(header({ number: 448 })), undefined);
    assert.equal(formatCode(carrying(450, new Uint8Array(4))), "FORK_DETECTION_DATA");
  });
});
