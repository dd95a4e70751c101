import assert from "node:assert/strict";
import type { BlockHeader, HeaderFields } from "@cambium/types";
import { unclesHash } from "../../src/index.js";
import { uncleFamily } from "../../src/rules/uncles.js";
import { branchOf, codeOf, header } from "../support.js";

/** A line of headers 0 … `length` - 1, each naming its parent. */
function line(length: number): BlockHeader[] {
  const headers = [header({ number: 0 })];
  for (let number = 1; number < length; number++) {
    headers.push(header({ number, parentHash: headers[number - 1]!.hash }));
  }
  return headers;
}

const TIP = 20;
const headers = line(TIP + 1);
const parent = headers[TIP]!;

/** A sibling of the ancestor at `number`. */
function brother(number: number, own: Partial<HeaderFields> = {}): BlockHeader {
  return header({ number, parentHash: headers[number - 1]!.hash, timestamp: 1n, ...own });
}

function codeFor(uncles: BlockHeader[], cited: Record<number, BlockHeader[]> = {}) {
  return codeOf(() => uncleFamily({ number: TIP + 1, uncles, parent, branch: branchOf(headers, cited) }));
}

describe("uncles", () => {
  it("are from the six heights below the block", () => {
    assert.equal(codeFor([]), undefined);
    assert.equal(codeFor([brother(TIP)]), undefined);
    assert.equal(codeFor([brother(TIP - 5)]), undefined);
    assert.equal(codeFor([brother(TIP - 6)]), "UNCLE_NUMBER");
    const sibling = header({ number: TIP + 1, parentHash: parent.hash, timestamp: 1n });
    assert.equal(codeFor([sibling]), "UNCLE_NUMBER");
  });

  it("are at most ten", () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => brother(TIP, { timestamp: BigInt(i + 1) }));
    assert.equal(codeFor(many(10)), undefined);
    assert.equal(codeFor(many(11)), "UNCLE_LIST_SIZE");
  });

  it("are included only once, also across the last seven blocks", () => {
    assert.equal(codeFor([brother(TIP), brother(TIP)]), "UNCLE_DUPLICATE");
    assert.equal(codeFor([brother(TIP - 1)], { [TIP]: [brother(TIP - 1)] }), "UNCLE_ALREADY_USED");
    assert.equal(codeFor([brother(TIP - 5)], { [TIP - 6]: [brother(TIP - 5)] }), "UNCLE_ALREADY_USED");
    assert.equal(codeFor([brother(TIP - 5)], { [TIP - 7]: [brother(TIP - 5)] }), undefined);
  });

  it("are children of ancestors but not ancestors themselves", () => {
    assert.equal(codeFor([parent]), "UNCLE_IS_ANCESTOR");
    assert.equal(codeFor([headers[TIP - 3]!]), "UNCLE_IS_ANCESTOR");
    assert.equal(codeFor([brother(TIP, { parentHash: new Uint8Array(32).fill(9) })]), "UNCLE_PARENT");
    assert.equal(codeFor([brother(TIP, { parentHash: brother(TIP - 1).hash })]), "UNCLE_PARENT");
  });

  it("may have genesis as parent", () => {
    const uncles = [brother(1)];
    const context = { number: 3, uncles, parent: headers[2]!, branch: branchOf(headers.slice(0, 3)) };
    assert.equal(
      codeOf(() => uncleFamily(context)),
      undefined,
    );
  });

  it("are covered by the uncles hash with their proofs", () => {
    const mined = { parentChainHeader: new Uint8Array(80), merkleProof: new Uint8Array(32) };
    const uncle = brother(TIP, { ...mined, parentChainCoinbase: Uint8Array.of(1) });
    const other = brother(TIP, { ...mined, parentChainCoinbase: Uint8Array.of(2) });
    assert.deepEqual(uncle.hash, other.hash);
    const { unclesHash: empty } = header();
    assert.equal(
      codeOf(() => unclesHash({ unclesHash: empty }, [])),
      undefined,
    );
    assert.equal(
      codeOf(() => unclesHash({ unclesHash: empty }, [uncle])),
      "UNCLES_HASH",
    );
  });
});
