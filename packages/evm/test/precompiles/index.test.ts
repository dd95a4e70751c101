import assert from "node:assert/strict";
import { NETWORKS, rulesAt } from "@cambium/config";
import { concatBytes, toHex } from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import { PrecompileError, precompiles } from "../../src/precompiles/index.js";
import { contextOf, LATEST, without } from "./support.js";

/** One round over a state and a message of ones, for the last block. */
const BLAKE2F_INPUT = concatBytes(Uint8Array.of(0, 0, 0, 1), new Uint8Array(208).fill(1), Uint8Array.of(1));

/** The output, undefined if the contract refuses the input. */
function attempt(execute: () => Uint8Array | null): Uint8Array | null | undefined {
  try {
    return execute();
  } catch (error) {
    if (error instanceof PrecompileError) return undefined;
    throw error;
  }
}

describe("Precompiled contracts (spec/04 §6.1)", () => {
  it("exist from their activation heights", () => {
    const namesAt = (height: number): string[] =>
      precompiles.filter((contract) => contract.isActive(rulesAt(NETWORKS.main, height))).map(({ name }) => name);
    assert.equal(namesAt(0).length, 5);
    assert.equal(namesAt(2392699).length, 5);
    assert.equal(namesAt(2392700).length, 8);
    assert.equal(namesAt(3614800).length, 9);
    assert.equal(namesAt(8052200).length, 11);
  });

  it("have the addresses and input limits of the table", () => {
    assert.deepEqual(
      precompiles.map(({ address, maxInput }) => [Number.parseInt(toHex(address), 16), maxInput]),
      [
        [1, 128],
        [2, undefined],
        [3, undefined],
        [4, undefined],
        [5, undefined],
        [6, 128],
        [7, 96],
        [8, undefined],
        [9, 213],
        [0x01000016, 128],
        [0x01000017, 96],
      ],
    );
  });

  it("do not change their input, even if it is a buffer", () => {
    const inputs = [Uint8Array.of(), new Uint8Array(213).fill(1), BLAKE2F_INPUT];
    for (const contract of precompiles) {
      for (const input of inputs) {
        const given = Buffer.from(input);
        const outputs = [1, 2].map(() => attempt(() => contract.execute(given, contextOf())));
        assert.deepEqual(new Uint8Array(given), input, contract.name);
        assert.deepEqual(outputs[0], outputs[1], contract.name);
      }
    }
  });

  it("throw only the typed error on random input", () => {
    const word = fc.oneof(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.nat(300).map((n) => Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? n & 0xff : i === 30 ? n >> 8 : 0))),
    );
    const words = fc.array(word, { maxLength: 14 }).map((parts) => Uint8Array.from(parts.flatMap((part) => [...part])));
    const data = fc.oneof(fc.uint8Array({ maxLength: 500 }), words, fc.constant(null));
    const rules = fc.constantFrom(LATEST, without("rskip552"), without("rskip197", "rskip552"));
    fc.assert(
      fc.property(fc.constantFrom(...precompiles), data, rules, (contract, input, era) => {
        try {
          const gas = contract.gas(input, contextOf(era));
          assert.ok(Number.isSafeInteger(gas) && gas >= 0);
          if (gas > 5_000_000) return;
          const output = contract.execute(input, contextOf(era));
          assert.ok(output === null || output instanceof Uint8Array);
        } catch (error) {
          if (!(error instanceof PrecompileError)) throw error;
        }
      }),
      { numRuns: runs(1500) },
    );
  });
});
