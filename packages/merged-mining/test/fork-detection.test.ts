import assert from "node:assert/strict";
import { toHex } from "@cambium/primitives";
import {
  composeForkDetectionData,
  forkDetectionData,
  parentHeaderHash,
  verifyForkDetectionData,
} from "../src/index.js";

// spec/03 §5.4
const rules = { rskip110: true };
const header = (n: number) => {
  const bytes = new Uint8Array(80);
  new DataView(bytes.buffer).setUint32(0, n);
  return bytes;
};

/** Returns ancestors of block `parent + 1`; records which ones are read. */
function chain(parent: number, uncles: (distance: number) => number) {
  const asked = new Set<number>();
  const ancestor = (distance: number) => {
    asked.add(distance);
    return distance > parent
      ? undefined
      : { uncleCount: uncles(distance), parentChainHeader: header(parent - distance) };
  };
  return { asked, ancestor };
}

describe("fork-detection data", () => {
  for (const [best, first, number] of [
    [448, 0, "000001c1"],
    [511, 63, "00000200"],
    [563, 51, "00000234"],
    [512, 0, "00000201"],
  ] as const) {
    it(`commits to seven ancestors of ${best + 1}`, () => {
      const commitments = Array.from({ length: 7 }, (_, i) => first + 64 * i);
      const data = composeForkDetectionData(best, {
        commitment: (d) => commitments.indexOf(d) + 1,
        uncleCount: () => 0,
      });
      assert.equal(toHex(data), `0102030405060700${number}`);
    });
  }

  it("uses the first byte of the internal parent-chain hash", () => {
    const { asked, ancestor } = chain(563, () => 0);
    const data = forkDetectionData(563, ancestor);
    for (let i = 0; i < 7; i++) assert.equal(data[i], parentHeaderHash(header(563 - 51 - 64 * i))[0]);
    assert.ok(asked.size <= 39 && Math.max(...asked) <= 447);
  });

  it("is empty with fewer than 449 headers", () => {
    assert.equal(forkDetectionData(447, chain(447, () => 0).ancestor).length, 0);
    assert.equal(forkDetectionData(448, chain(448, () => 0).ancestor).length, 12);
  });

  it("sums the uncles of 32 blocks, at most 255", () => {
    const uncles = (count: (distance: number) => number) => forkDetectionData(600, chain(600, count).ancestor)[7];
    assert.equal(
      uncles(() => 10),
      255,
    );
    assert.equal(
      uncles((distance) => distance % 10),
      136,
    );
    assert.equal(
      uncles((distance) => (distance < 32 ? 0 : 1)),
      0,
    );
  });

  it("adds the counts in signed 32 bits, and refuses a negative sum", () => {
    const uncles = (...counts: number[]) =>
      forkDetectionData(600, chain(600, (distance) => counts[distance] ?? 0).ancestor)[7];
    const largest = 2 ** 31 - 1;
    assert.equal(uncles(largest), 255);
    assert.throws(() => uncles(largest, 1), { code: "FORK_DETECTION_UNCLES" });
    assert.equal(uncles(largest, largest, 6), 4);
  });

  it("keeps the low 32 bits of the number", () => {
    const data = composeForkDetectionData(2 ** 32 + 5, { commitment: () => 0, uncleCount: () => 0 });
    assert.equal(toHex(data), "000000000000000000000006");
  });

  it("requires its ancestors and their parent-chain headers", () => {
    const code = "FORK_DETECTION_ANCESTOR";
    assert.throws(() => forkDetectionData(600, () => undefined), { code });
    assert.throws(() => forkDetectionData(600, () => ({ uncleCount: 0, parentChainHeader: null })), { code });
    assert.throws(() => forkDetectionData(600, () => ({ uncleCount: 0, parentChainHeader: new Uint8Array(79) })), {
      code,
    });
  });
});

describe("fork-detection rule", () => {
  const { ancestor } = chain(600, () => 1);
  const data = forkDetectionData(600, ancestor);
  const empty = new Uint8Array(0);

  it("compares with the calculated data", () => {
    verifyForkDetectionData({ number: 601, forkDetectionData: data }, rules, ancestor);
    for (const wrong of [empty, data.slice(1), data.map((byte, i) => (i === 7 ? byte + 1 : byte))]) {
      assert.throws(() => verifyForkDetectionData({ number: 601, forkDetectionData: wrong }, rules, ancestor), {
        code: "FORK_DETECTION_DATA",
      });
    }
  });

  it("does not check block 449, nor blocks before RSKIP-110", () => {
    const never = () => assert.fail("an ancestor was read");
    verifyForkDetectionData({ number: 449, forkDetectionData: data }, rules, never);
    verifyForkDetectionData({ number: 601, forkDetectionData: data }, { rskip110: false }, never);
  });

  it("rejects data below height 449", () => {
    verifyForkDetectionData({ number: 448, forkDetectionData: empty }, rules, ancestor);
    assert.throws(() => verifyForkDetectionData({ number: 448, forkDetectionData: data }, rules, ancestor), {
      code: "FORK_DETECTION_DATA",
    });
  });
});
