import assert from "node:assert/strict";
import { fc } from "@cambium/test-utils/properties";
import { PARENT_CHAINS, type StoredParentBlock } from "../src/bitcoin/parent-chains.js";
import type { ParentBlockStore } from "../src/parent-chain/block-store.js";
import { decodeCompactBits, encodeCompactBits } from "../src/parent-chain/compact-bits.js";
import { checkDifficulty, checkProofOfWork, workOf } from "../src/parent-chain/header-rules.js";

const { main, test, regtest } = PARENT_CHAINS;

function header(time: number, bits: number): Uint8Array {
  const bytes = new Uint8Array(80);
  const view = new DataView(bytes.buffer);
  view.setUint32(68, time, true);
  view.setUint32(72, bits, true);
  return bytes;
}

function block(height: number, time: number, bits: number): StoredParentBlock {
  return { work: 1n, height, header: header(time, bits) };
}

/** A store that contains these blocks below the parent, nearest first. */
function below(...blocks: readonly StoredParentBlock[]): ParentBlockStore {
  return {
    ancestor: () => blocks[0],
    parentOf: (of: StoredParentBlock) => blocks.find(({ height }) => height === of.height - 1),
  } as unknown as ParentBlockStore;
}

describe("compact bits", () => {
  it("decode as signed numbers with one length byte and three more", () => {
    const cases: [number, bigint][] = [
      [0x1d00ffff, 0xffffn << 208n],
      [0x01003456, 0n],
      [0x01123456, 0x12n],
      [0x02123456, 0x1234n],
      [0x03123456, 0x123456n],
      [0x04123456, 0x12345600n],
      [0x04923456, -0x12345600n],
      [0x00923456, 0n],
    ];
    for (const [bits, value] of cases) assert.equal(decodeCompactBits(bits), value, bits.toString(16));
  });

  it("encode in the shortest form, keeping the sign bit free", () => {
    assert.equal(encodeCompactBits(0x80n), 0x02008000);
    assert.equal(encodeCompactBits(0x7fffffn), 0x037fffff);
    assert.equal(encodeCompactBits(0x800000n), 0x04008000);
    assert.equal(encodeCompactBits(0xffffn << 208n), 0x1d00ffff);
  });

  it("round-trip through a number", () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 32 }), fc.integer({ min: 0x8000, max: 0x7fffff }), (size, mantissa) => {
        const bits = ((size << 24) | mantissa) >>> 0;
        assert.equal(encodeCompactBits(decodeCompactBits(bits)), bits);
      }),
    );
  });
});

describe("difficulty on the main parent chain (spec/06b-1 §3.4)", () => {
  // Difficulty changes on the real chain: time of the interval's first block, its last block, and the next difficulty.
  const transitions: [first: number, height: number, time: number, bits: number, next: number][] = [
    [1261130161, 32255, 1262152739, 0x1d00ffff, 0x1d00d86a],
    [1231006505, 2015, 1233061996, 0x1d00ffff, 0x1d00ffff],
    [1279008237, 68543, 1279297671, 0x1c05a3f4, 0x1c0168fd],
    [1263163443, 46367, 1269211443, 0x1c387f6f, 0x1d00e1fd],
  ];

  for (const [first, height, time, bits, next] of transitions) {
    it(`changes after height ${height} as on the real chain`, () => {
      const store = below(block(height - 2015, first, bits));
      const parent = block(height, time, bits);
      assert.doesNotThrow(() => checkDifficulty(parent, header(time + 600, next), store, main));
      assert.throws(() => checkDifficulty(parent, header(time + 600, next - 1), store, main), {
        code: "PARENT_HEADER",
      });
    });
  }

  it("requires the interval's first block", () => {
    const parent = block(2015, 10, 0x1d00ffff);
    assert.throws(() => checkDifficulty(parent, header(20, 0x1d00ffff), below(), main), { code: "PARENT_HEADER" });
  });

  it("stays the same within an interval, and always on regtest", () => {
    const parent = block(100, 10, 0x1d00ffff);
    assert.doesNotThrow(() => checkDifficulty(parent, header(20, 0x1d00ffff), below(), main));
    assert.throws(() => checkDifficulty(parent, header(20, 0x1d00fffe), below(), main), { code: "PARENT_HEADER" });
    const last = block(2015, 10, 0x207fffff);
    assert.doesNotThrow(() => checkDifficulty(last, header(20, 0x207fffff), below(), regtest));
  });
});

describe("difficulty on the parent test chain (spec/06b-1 §3.4)", () => {
  const T = 1_600_000_000;
  const EASY = 0x1d00ffff;
  const HARD = 0x1b00ffff;

  it("is that of the last block above minimum difficulty", () => {
    const parent = block(2050, T, EASY);
    const store = below(block(2049, T - 10, EASY), block(2048, T - 20, HARD));
    assert.doesNotThrow(() => checkDifficulty(parent, header(T + 1200, HARD), store, test));
    assert.throws(() => checkDifficulty(parent, header(T + 1200, EASY), store, test), { code: "PARENT_HEADER" });
    assert.throws(() => checkDifficulty(parent, header(T, HARD), below(), test), { code: "PARENT_HEADER" });
  });

  it("stops at the interval's first block", () => {
    const store = below(block(2016, T - 10, EASY), block(2015, T - 20, HARD));
    assert.doesNotThrow(() => checkDifficulty(block(2017, T, EASY), header(T + 1, EASY), store, test));
  });

  it("is unrestricted after a long interval or if time goes backwards", () => {
    const parent = block(2050, T, HARD);
    for (const time of [T + 1201, T - 1]) {
      assert.doesNotThrow(() => checkDifficulty(parent, header(time, EASY), below(), test));
    }
  });

  it("does not allow minimum-difficulty blocks before 2012", () => {
    const parent = block(2050, 1_329_260_000, HARD);
    assert.throws(() => checkDifficulty(parent, header(1_329_264_000, EASY), below(), test), { code: "PARENT_HEADER" });
  });
});

describe("proof of work of a parent header", () => {
  it("is valid for the genesis blocks", () => {
    for (const parameters of [main, test, regtest]) {
      assert.doesNotThrow(() => checkProofOfWork(parameters.genesis.header, parameters));
      assert.equal(workOf(parameters.genesis.header, parameters), parameters.genesis.work);
    }
  });

  it("is invalid for other headers, and bounded by the network", () => {
    const changed = main.genesis.header.slice();
    changed[79]! ^= 1;
    assert.throws(() => checkProofOfWork(changed, main), { code: "PARENT_HEADER" });
    assert.throws(() => checkProofOfWork(header(0, 0x207fffff), main), { code: "PARENT_HEADER" });
    assert.throws(() => checkProofOfWork(header(0, 0x04923456), regtest), { code: "PARENT_HEADER" });
  });
});
