import assert from "node:assert/strict";
import { concatBytes, EMPTY_BYTES, fromHex, toHex, utf8 } from "@cambium/primitives";
import type { AncestorReader } from "@cambium/state";
import { fc } from "@cambium/test-utils/properties";
import type { BlockHeader } from "@cambium/types";
import { blockHeader } from "../src/block-header/index.js";
import { environment } from "../src/environment/index.js";
import { NativeContractError } from "../src/errors.js";
import { callContext, callMethod, encodeCall, hexOf, LATEST } from "./call-context.js";

const TAG = concatBytes(utf8("RSKBLOCK:"), new Uint8Array(32).fill(7));

function header(number: number, coinbase = concatBytes(utf8("tx"), TAG, TAG, utf8("more"))): BlockHeader {
  return {
    number,
    coinbase: new Uint8Array(20).fill(number & 0xff),
    difficultyValue: BigInt(number) * 1000n,
    minimumGasPrice: number === 1998 ? null : BigInt(number - 1999),
    gasLimit: fromHex("0067c280"),
    gasUsed: 128,
    parentChainHeader: new Uint8Array(80).fill(3),
    parentChainCoinbase:
      number === 1990 ? null : number === 1991 ? utf8("no tag") : number === 1992 ? TAG.slice(0, -1) : coinbase,
  } as Partial<BlockHeader> as BlockHeader;
}

const ancestors: AncestorReader = {
  hash: (number) => (number >= 0 ? new Uint8Array(32).fill(number & 0xff) : undefined),
  header: (number) => (number >= 0 ? header(number) : undefined),
  uncles: (number) => (number % 2 === 0 ? [] : [header(number - 1), header(number - 2)]),
  totalDifficulty: (number) => 2n ** 64n + BigInt(number),
};

function read(name: string, depth: bigint, number = 2000): string {
  const signature = { name, inputs: ["int256"], output: "bytes" };
  return hexOf(callMethod(blockHeader, signature, [depth], callContext({ number, ancestors })).result);
}

function uncleCoinbase(depth: bigint, index: bigint): string {
  const signature = { name: "getUncleCoinbaseAddress", inputs: ["int256", "int256"], output: "bytes" };
  return hexOf(callMethod(blockHeader, signature, [depth, index], callContext({ ancestors })).result);
}

describe("BlockHeader (spec/04 §6.9)", () => {
  it("reads the fields of the parent at depth 0", () => {
    const parent = toHex(Uint8Array.of(1999 & 0xff));
    assert.equal(read("getCoinbaseAddress", 0n), parent.repeat(20));
    assert.equal(read("getBlockHash", 0n), parent.repeat(32));
    assert.equal(read("getGasLimit", 0n), "0067c280");
    assert.equal(read("getGasUsed", 0n), "0080");
    assert.equal(read("getDifficulty", 0n), (1999000).toString(16));
    assert.equal(read("getBitcoinHeader", 0n), "03".repeat(80));
    assert.equal(read("getMinGasPrice", 0n), "00");
    assert.equal(read("getMinGasPrice", 1n), "");
    assert.equal(read("getCumulativeWork", 0n), "0100000000000007cf");
    assert.equal(read("getDifficultyWithUncles", 0n), (1999000 + 1998000 + 1997000).toString(16));
    assert.equal(read("getDifficultyWithUncles", 1n), (1998000).toString(16));
  });

  it("returns the bytes after the last tag", () => {
    assert.equal(read("getMergedMiningTags", 0n), toHex(utf8("more")));
    assert.equal(read("getMergedMiningTags", 8n), "");
    assert.throws(() => read("getMergedMiningTags", 9n), NativeContractError);
    assert.throws(() => read("getMergedMiningTags", 7n), NativeContractError);
  });

  it("limits the depth", () => {
    for (const depth of [1999n, 2000n, 32767n, 32768n, -32769n, 2n ** 200n])
      assert.equal(read("getBlockHash", depth), "");
    assert.equal(read("getBlockHash", 1998n), "01".repeat(32));
    for (const depth of [-1n, -32768n]) assert.throws(() => read("getBlockHash", depth), NativeContractError);
    assert.equal(read("getBlockHash", 3999n, 9000), toHex(new Uint8Array(32).fill((8999 - 3999) & 0xff)));
    assert.equal(read("getBlockHash", 4000n, 9000), "");
    assert.equal(read("getBlockHash", 0n, 1), "00".repeat(32));
    assert.equal(read("getBlockHash", 1n, 2), "");
  });

  it("reads uncles by index, after the depth", () => {
    assert.equal(uncleCoinbase(0n, 1n), toHex(Uint8Array.of(1997 & 0xff)).repeat(20));
    for (const index of [2n, 32768n, -32769n]) assert.equal(uncleCoinbase(0n, index), "");
    assert.throws(() => uncleCoinbase(0n, -1n), NativeContractError);
    assert.throws(() => uncleCoinbase(-1n, 0n), NativeContractError);
    assert.equal(uncleCoinbase(4000n, -1n), "");
  });

  it("costs 4000 plus two per byte; a bare selector means depth 0", () => {
    const context = callContext({ ancestors });
    assert.equal(blockHeader.gas(encodeCall("getBlockHash", ["int256"], [0n]), context), 4072);
    const bare = fromHex("2cce81aa");
    assert.equal(blockHeader.gas(bare, context), 4008);
    assert.deepEqual(
      blockHeader.execute(bare, context),
      blockHeader.execute(encodeCall("getBlockHash", ["int256"], [0n]), context),
    );
  });

  it("rejects the methods of RSKIP-536 before its activation", () => {
    const context = callContext({ ancestors, rules: { ...LATEST, rskip536: false } });
    for (const selector of ["579ee593", "096c8196"]) {
      assert.equal(blockHeader.gas(fromHex(selector), context), 0);
      assert.throws(() => blockHeader.execute(fromHex(selector), context), NativeContractError);
    }
  });

  it("fails only with the typed error", () => {
    const selectors = ["243e7d36", "2cce81aa", "5ca053dd", "1f1db3ba", "06ac702b", "abcd8984", "579ee593", "096c8196"];
    fc.assert(
      fc.property(fc.constantFrom(...selectors), fc.uint8Array({ maxLength: 80 }), (selector, args) => {
        try {
          blockHeader.execute(concatBytes(fromHex(selector), args), callContext({ ancestors }));
        } catch (error) {
          assert.ok(error instanceof NativeContractError);
        }
      }),
    );
  });
});

describe("Environment (spec/04 §6.10)", () => {
  it("returns the call depth", () => {
    const signature = { name: "getCallStackDepth", inputs: [], output: "uint32" };
    for (const [depth, expected] of [
      [-1, 1n],
      [0, 1n],
      [1, 2n],
      [399, 400n],
    ] as const) {
      assert.deepEqual(callMethod(environment, signature, [], callContext({ depth })), { gas: 0, result: expected });
    }
    assert.throws(() => environment.execute(EMPTY_BYTES, callContext({})), NativeContractError);
  });
});
