import assert from "node:assert/strict";
import { bytesToBigint, toHex } from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import { createEVM, type EVM } from "@ethereumjs/evm";
import { runBare } from "./bare-frame.js";

// Compares results and gas with an independent interpreter, for everything that both chains share.

const RET = "60005260206000f3";

/** Words of all sizes, biased towards the edges. */
const word = fc.oneof(
  fc.constantFrom(0n, 1n, 2n, 31n, 32n, 255n, 256n, 1n << 31n, (1n << 32n) - 1n, (1n << 53n) - 1n, 1n << 53n),
  fc.constantFrom(1n << 64n, (1n << 128n) - 1n, 1n << 255n, (1n << 255n) - 1n, (1n << 256n) - 1n, (1n << 256n) - 2n),
  fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
  fc.bigInt({ min: 0n, max: (1n << 54n) - 1n }),
  fc.bigInt({ min: 0n, max: 1000n }),
);

function push(value: bigint): string {
  const hex = value.toString(16);
  const even = hex.length % 2 === 0 ? hex : `0${hex}`;
  return (0x5f + even.length / 2).toString(16) + even;
}

const GAS = 1_000_000;

async function compare(evm: EVM, code: string): Promise<void> {
  const ours = runBare(code, { gas: GAS });
  const theirs = await evm.runCode({ code: Buffer.from(code, "hex"), gasLimit: BigInt(GAS) });
  const failed = theirs.exceptionError !== undefined && theirs.exceptionError.error !== "revert";
  assert.equal(ours.frame.status === "failed", failed, `${code}: ${ours.frame.failure?.message}`);
  assert.equal(BigInt(ours.gasUsed), theirs.executionGasUsed, code);
  if (!failed) assert.equal(toHex(ours.frame.output), Buffer.from(theirs.returnValue).toString("hex"), code);
}

describe("agreement with @ethereumjs/evm", () => {
  let evm: EVM;
  before(async () => {
    evm = await createEVM();
  });

  const binary = ["01", "02", "03", "04", "05", "06", "07", "0b", "10", "11", "12", "13", "14", "16", "17", "18"];
  const shifts = ["1a", "1b", "1c", "1d", "0a"];
  const operations: readonly [name: string, ops: readonly string[], operands: number][] = [
    ["unary", ["15", "19"], 1],
    ["binary", binary, 2],
    ["shifts, bytes and powers", shifts, 2],
    ["modular", ["08", "09"], 3],
  ];
  for (const [name, ops, operands] of operations) {
    it(`${name} operations`, async () => {
      const operandList = fc.array(word, { minLength: operands, maxLength: operands });
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...ops), operandList, (op, words) =>
          compare(evm, `${words.map(push).join("")}${op}${RET}`),
        ),
        { numRuns: runs(400) },
      );
    });
  }

  it("chains of arithmetic on words in either form", async () => {
    const step = fc.oneof(
      fc.tuple(word, fc.constantFrom(...binary, ...shifts)).map(([value, op]) => `${push(value)}${op}`),
      fc.tuple(word, fc.constantFrom(...binary)).map(([value, op]) => `${push(value)}90${op}`),
      fc.constantFrom("15", "19", "8001", "8002", "8003", "8016"),
    );
    await fc.assert(
      fc.asyncProperty(word, fc.array(step, { maxLength: 20 }), (start, steps) =>
        compare(evm, `${push(start)}${steps.join("")}${RET}`),
      ),
      { numRuns: runs(300) },
    );
  });

  it("memory", async () => {
    const offset = fc.oneof(fc.nat(200), fc.nat(20_000), fc.constantFrom(2 ** 31, 2 ** 40)).map(BigInt);
    const access = fc.oneof(
      fc.tuple(offset, word).map(([at, value]) => `${push(value)}${push(at)}52`),
      fc.tuple(offset, word).map(([at, value]) => `${push(value)}${push(at)}53`),
      offset.map((at) => `${push(at)}5150`),
      fc.tuple(offset, offset, fc.nat(100)).map(([to, from, n]) => `${push(BigInt(n))}${push(from)}${push(to)}5e`),
      fc.tuple(offset, offset, fc.nat(100)).map(([to, from, n]) => `${push(BigInt(n))}${push(from)}${push(to)}37`),
      fc.tuple(offset, offset, fc.nat(100)).map(([to, from, n]) => `${push(BigInt(n))}${push(from)}${push(to)}39`),
      fc.tuple(offset, fc.nat(100)).map(([at, n]) => `${push(BigInt(n))}${push(at)}2050`),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(access, { maxLength: 8 }), (accesses) =>
        compare(evm, `${accesses.join("")}5960406000205f5260405ff3`),
      ),
      { numRuns: runs(300) },
    );
  });

  it("stack, jumps and random code", async () => {
    // Environment opcodes and calls are left out, because their prices differ between the chains.
    const shared = [0x00, 0x01, 0x03, 0x10, 0x15, 0x16, 0x50, 0x51, 0x52, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x5b, 0x5f];
    const op = fc.oneof(
      fc.constantFrom(...shared).map((value) => value.toString(16).padStart(2, "0")),
      fc.nat(31).map((n) => (0x80 + n).toString(16)),
      fc.nat(60).map((n) => push(BigInt(n))),
      word.map(push),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(op, { maxLength: 60 }), (ops) => compare(evm, `5f5f60015b60016002${ops.join("")}`)),
      { numRuns: runs(500) },
    );
  });

  it("shows the same word in either form", () => {
    fc.assert(
      fc.property(word, (value) => {
        const { frame } = runBare(`${push(value)}${RET}`);
        assert.equal(bytesToBigint(frame.output), value);
      }),
    );
  });
});
