import assert from "node:assert/strict";
import { concatBytes, fromHex, reverseBytes, toHex } from "@cambium/primitives";
import { fc } from "@cambium/test-utils/properties";
import {
  combineNodes,
  compactProof,
  compactProofRoot,
  decodePartialTree,
  evaluatePartialTree,
  looksLikeTransaction,
  merkleBranch,
  partialTreeOfBranch,
  sha256d,
} from "../src/index.js";

const ids = (count: number, seed = 0) =>
  Array.from({ length: count }, (_, i) => sha256d(Uint8Array.of(seed, i & 0xff, i >> 8)));

describe("Merkle nodes", () => {
  // spec/03 §4.3, display order
  for (const [left, right, parent] of [
    [
      "083eafdf670bb1bbc83b63262887e3cf519c3e252fac29adfb92c1e857b37f91",
      "5740915e973a211c71655d10e4c672301c27c287843dcfa97b7aafc04992ec5e",
      "107857d7233c41d4c37ecaa9ad9d9ab15371f643074866cd23d657e6e99676be",
    ],
    [
      "c960ed36a67318cd562d384bfbf41499db1312835e2bfe86805d9465afe9736f",
      "120196be3b0ca6ba07d3cfee53f8dc883781e82afdfba11181184f41a67b9898",
      "71a12c9bd54735864dd6e12640e6d00d60a42a2e92e4cd0bde3f9f268b7d4345",
    ],
  ] as const) {
    it(`combine to ${parent.slice(0, 8)}`, () => {
      const combined = combineNodes(reverseBytes(fromHex(left)), reverseBytes(fromHex(right)));
      assert.equal(toHex(reverseBytes(combined)), parent);
    });
  }
});

describe("the guard against 64-byte transactions", () => {
  /** One input and one output, with scripts of `input` and `4 - input` bytes. */
  function transaction(input: number, outputIndex: number, value: bigint, output = 4 - input): Uint8Array {
    const bytes = new Uint8Array(64);
    const view = new DataView(bytes.buffer);
    bytes[4] = 1;
    view.setUint32(37, outputIndex, true);
    bytes[41] = input;
    bytes[46 + input] = 1;
    view.setBigInt64(47 + input, value, true);
    bytes[55 + input] = output;
    return bytes;
  }
  const seen = (bytes: Uint8Array) =>
    looksLikeTransaction(reverseBytes(bytes.subarray(0, 32)), reverseBytes(bytes.subarray(32)));

  it("detects every split of the scripts", () => {
    for (let input = 0; input <= 4; input++) assert.equal(seen(transaction(input, 0, 1n)), true);
  });

  it("respects its bounds", () => {
    assert.equal(seen(transaction(2, 1_000_000, 2_100_000_000_000_000n)), true);
    assert.equal(seen(transaction(2, 0xffffffff, 1n)), true);
    assert.equal(seen(transaction(2, 1_000_001, 1n)), false);
    assert.equal(seen(transaction(2, 0, 2_100_000_000_000_001n)), false);
    assert.equal(seen(transaction(2, 0, 0n)), false);
    assert.equal(seen(transaction(2, 0, -1n)), false);
    assert.equal(seen(transaction(2, 0, 1n, 3)), false);
    assert.equal(seen(transaction(5, 0, 1n, -1)), false);
    const twoInputs = transaction(2, 0, 1n);
    twoInputs[4] = 2;
    assert.equal(seen(twoInputs), false);
  });

  it("rejects proofs in both formats", () => {
    const bytes = transaction(0, 0, 1n);
    const [left, right] = [reverseBytes(bytes.subarray(0, 32)), reverseBytes(bytes.subarray(32))];
    const code = "PROOF_LOOKS_LIKE_TRANSACTION";
    assert.throws(() => compactProofRoot(left, reverseBytes(right)), { code });
    const tree = decodePartialTree(partialTreeOfBranch([left, right], 2));
    assert.throws(() => evaluatePartialTree(tree), { code });
  });
});

describe("proofs of the first transaction", () => {
  it("lead to the root in both formats, for every size", () => {
    for (let count = 1; count <= 130; count++) {
      const list = ids(count);
      const { root, siblings } = merkleBranch(list);
      const compact = compactProof(siblings);
      assert.equal(toHex(compactProofRoot(list[0]!, compact)), toHex(root));
      const tree = decodePartialTree(partialTreeOfBranch([list[0]!, ...siblings], count));
      const proven = evaluatePartialTree(tree);
      assert.equal(toHex(proven.root), toHex(root));
      assert.deepEqual(proven.matched.map(toHex), [toHex(list[0]!)]);
      // spec/03 §4.2: the partial tree's hashes without the first, each reversed, are the compact proof.
      assert.equal(toHex(concatBytes(...tree.hashes.slice(1).map(reverseBytes))), toHex(compact));
    }
  });

  it("reject an empty list", () => {
    assert.throws(() => merkleBranch([]), { code: "TRANSACTION_IDS_EMPTY" });
  });
});

describe("partial trees", () => {
  // spec/03 §4.3
  const real =
    "030000000279e7c0da739df8a00f12c0bff55e5438f530aa5859ff9874258cd7bad3fe709746aff897e6a851faa80120d6ae99db30883699ac0428fc7192d6c3fec0ca6409010d";

  it("match a leaf other than the first", () => {
    const { root, matched } = evaluatePartialTree(decodePartialTree(fromHex(real)));
    assert.equal(toHex(root), "08aaf345e92fea415c4642c7f63c961d21a04674f8e9ae639d37d17893c221f9");
    assert.deepEqual(matched.map(toHex), ["46aff897e6a851faa80120d6ae99db30883699ac0428fc7192d6c3fec0ca6409"]);
  });

  it("accept non-minimal counts", () => {
    const long = real.replace("0300000002", "03000000fd0200").replace(/010d$/, "fe010000000d");
    assert.equal(decodePartialTree(fromHex(long)).hashes.length, 2);
  });

  const malformed: readonly (readonly [string, string])[] = [
    ["a hash one byte short", real.replace("ca6409", "ca64")],
    ["a count that overflows", real.replace("0300000002", "0300ffffff")],
    ["a trailing byte", `${real}00`],
    ["no counts", "03000000"],
    ["nothing", ""],
    ["a truncated count", "03000000fd01"],
    ["no transactions", real.replace("03000000", "00000000")],
    ["a negative number of transactions", real.replace("03000000", "ffffffff")],
    ["more transactions than fit a block", real.replace("03000000", "1b410000")],
    ["more hashes than transactions", real.replace("03000000", "01000000")],
    ["flag bits that require more hashes", real.replace(/0d$/, "1f")],
    ["unused hashes", real.replace(/0d$/, "00")],
    ["unused flag bytes", real.replace(/010d$/, "020d00")],
    ["no flag bytes", real.replace(/010d$/, "00")],
    ["two equal children", `02000000 02 ${"11".repeat(32)} ${"11".repeat(32)} 0107`.replaceAll(" ", "")],
  ];
  for (const [name, hex] of malformed) {
    it(`reject: ${name}`, () => {
      assert.throws(() => evaluatePartialTree(decodePartialTree(fromHex(hex))), { code: "PROOF_FORMAT" });
    });
  }

  it("prove any set of leaves", () => {
    const leaves = fc
      .integer({ min: 1, max: 40 })
      .chain((count) => fc.tuple(fc.constant(count), fc.array(fc.boolean(), { minLength: count, maxLength: count })));
    fc.assert(
      fc.property(leaves, ([count, chosen]) => {
        const list = ids(count, 1);
        const proven = evaluatePartialTree(partialTree(list, chosen));
        assert.equal(toHex(proven.root), toHex(merkleBranch(list).root));
        assert.deepEqual(proven.matched.map(toHex), list.filter((_, i) => chosen[i]).map(toHex));
      }),
    );
  });
});

/** BIP-37 construction for any set of leaves, only for this test. */
function partialTree(list: readonly Uint8Array[], chosen: readonly boolean[]) {
  const levels: Uint8Array[][] = [[...list]];
  while (levels.at(-1)!.length > 1) {
    const level = levels.at(-1)!;
    const next: Uint8Array[] = [];
    for (let i = 0; i < level.length; i += 2) next.push(combineNodes(level[i]!, level[i + 1] ?? level[i]!));
    levels.push(next);
  }
  const hashes: Uint8Array[] = [];
  const bits: boolean[] = [];
  const visit = (height: number, position: number): void => {
    const covers = chosen.slice(position << height, (position + 1) << height).includes(true);
    bits.push(covers);
    if (height === 0 || !covers) {
      hashes.push(levels[height]![position]!);
      return;
    }
    visit(height - 1, 2 * position);
    if (2 * position + 1 < levels[height - 1]!.length) visit(height - 1, 2 * position + 1);
  };
  visit(levels.length - 1, 0);
  const flags = new Uint8Array((bits.length + 7) >> 3);
  bits.forEach((bit, i) => {
    if (bit) flags[i >> 3]! |= 1 << (i & 7);
  });
  return { transactionCount: list.length, hashes, flags };
}
