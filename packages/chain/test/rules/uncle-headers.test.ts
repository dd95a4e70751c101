import assert from "node:assert/strict";
import { NETWORKS, type NetworkConfig } from "@cambium/config";
import { buildParentBlock } from "@cambium/merged-mining";
import { numberToBytes } from "@cambium/primitives";
import type { BlockHeader, HeaderFields } from "@cambium/types";
import type { BlockFault } from "../../src/index.js";
import { uncleHeaders } from "../../src/rules/uncles.js";
import { branchOf, faultOf, header } from "../support.js";

const { local } = NETWORKS;
/** The local network's rules with the test network's timestamp rules. */
const timed: NetworkConfig = { ...local, consensus: { ...local.consensus, validPeriod: 540 } };
const NOW = 10_000;

const headers: BlockHeader[] = [];
for (let number = 0; number <= 10; number++) {
  headers.push(
    header({ number, timestamp: BigInt(number * 10), parentHash: headers.at(-1)?.hash ?? new Uint8Array(32) }),
  );
}

/** A mined child of block 5 with a valid proof for any given fields. */
function uncle(own: Partial<HeaderFields> = {}, time = Number(own.timestamp ?? 60n)): BlockHeader {
  const extension = {
    version: 2 as const,
    ummRoot: new Uint8Array(0),
    executionEdges: [],
    baseEvent: new Uint8Array(0),
  };
  const bare = header({ number: 6, timestamp: 60n, parentHash: headers[5]!.hash, ...extension, ...own });
  const { hashForMergedMining, difficultyValue } = bare;
  const { coinbase: _, ...proof } = buildParentBlock({ hashForMergedMining, difficulty: difficultyValue, time });
  return bare.with(proof);
}

function faultIn(candidate: BlockHeader, network = local): BlockFault | undefined {
  const context = { number: 11, uncles: [uncle(), candidate], parent: headers[10]!, branch: branchOf(headers) };
  return faultOf(() => uncleHeaders({ ...context, network, now: NOW }));
}

/** The header rule that the second of two uncles violates. */
function ruleBrokenBy(candidate: BlockHeader, network = local): string | undefined {
  const fault = faultIn(candidate, network);
  if (fault?.code !== "UNCLE_HEADER") return fault?.code;
  assert.equal(fault.index, 1);
  return fault.rule;
}

describe("uncle headers", () => {
  it("satisfy the rules relative to their parent", () => {
    assert.equal(ruleBrokenBy(uncle()), undefined);
    assert.equal(ruleBrokenBy(uncle({ difficulty: 2n })), "DIFFICULTY");
    assert.equal(ruleBrokenBy(uncle({ number: 7 })), "PARENT_NUMBER");
    assert.equal(ruleBrokenBy(uncle({ minimumGasPrice: 2n })), "MINIMUM_GAS_PRICE_STEP");
    assert.equal(ruleBrokenBy(uncle({ gasLimit: numberToBytes(6_806_641) })), "GAS_LIMIT_STEP");
  });

  it("have a valid proof of work", () => {
    assert.equal(ruleBrokenBy(uncle().with({ timestamp: 61n })), "PROOF_OF_WORK");
  });

  it("use no more gas than their limit", () => {
    assert.equal(ruleBrokenBy(uncle({ gasUsed: 6_800_000 })), undefined);
    assert.equal(ruleBrokenBy(uncle({ gasUsed: 6_800_001 })), "UNCLE_GAS_USED");
    // The rule compares only the low 64 bits, as a signed number.
    assert.equal(ruleBrokenBy(uncle({ gasLimit: new Uint8Array(8).fill(0xff) })), "UNCLE_GAS_USED");
  });

  it("have a parent on the branch, within seven levels of the block", () => {
    assert.equal(ruleBrokenBy(uncle({ parentHash: new Uint8Array(32).fill(1) })), "UNCLE_PARENT");
    const old = uncle({ number: 4, parentHash: headers[3]!.hash });
    assert.equal(faultIn(old)?.code, "UNCLE_PARENT");
  });

  it("satisfy all timestamp rules if the network has any", () => {
    assert.equal(ruleBrokenBy(uncle(), timed), undefined);
    assert.equal(ruleBrokenBy(uncle({ timestamp: 50n }, 60), timed), "TIMESTAMP_PARENT");
    assert.equal(ruleBrokenBy(uncle({ timestamp: 10_541n }), timed), "TIMESTAMP_FUTURE");
    assert.equal(ruleBrokenBy(uncle({ timestamp: 60n }, 360), timed), "TIMESTAMP_PARENT_CHAIN");
    assert.equal(ruleBrokenBy(uncle({ timestamp: 50n }, 9999), local), undefined);
  });

  it("may have any body roots and extra data", () => {
    const free = { extraData: new Uint8Array(40), stateRoot: new Uint8Array(32).fill(1), uncleCount: 7 };
    assert.equal(ruleBrokenBy(uncle(free)), undefined);
  });
});
