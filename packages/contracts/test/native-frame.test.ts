import assert from "node:assert/strict";
import { local, REWARD_ADDRESS } from "@cambium/config";
import { type AbiArray, type AbiFunction, abiFunction, concatBytes, fromHex } from "@cambium/primitives";
import { emptyState, recordCall } from "@cambium/test-utils/native-call";
import { NativeContractError } from "../src/errors.js";
import { createNativeContract } from "../src/native-frame.js";
import { createRewardContract } from "../src/reward/index.js";
import { callContext, encodeCall } from "./call-context.js";
import { genesisFederators } from "./genesis-federators.js";

/** A function that counts how often its arguments are checked. */
function counted(definition: AbiFunction): { definition: AbiFunction; checks: () => number } {
  let checks = 0;
  const inputs = definition.inputs.map((type) => ({
    ...type,
    isAt(data: Uint8Array, offset: number) {
      checks++;
      return type.isAt(data, offset);
    },
  }));
  return { definition: { ...definition, inputs }, checks: () => checks };
}

describe("Frame of native contracts (spec/04 §6.7)", () => {
  const { definition, checks } = counted(abiFunction("count", ["bytes[]"], ["int256"]));
  const contract = createNativeContract({
    address: new Uint8Array(20),
    name: "counting",
    isActive: () => true,
    methods: [
      {
        definition,
        gas: ([list]) => (list as AbiArray).length,
        execute: ([list]) => BigInt((list as AbiArray).length),
      },
    ],
  });

  it("reads the arguments of a call once for its gas and its execution", () => {
    const data = encodeCall("count", ["bytes[]"], [[fromHex("01"), fromHex("02")]]);
    const context = callContext({});
    const before = checks();
    assert.equal(contract.gas(data, context), 2);
    assert.equal(contract.execute(data, context)?.at(-1), 2);
    assert.equal(checks() - before, 1);
    // Another call, of the same data.
    assert.equal(contract.gas(data, callContext({})), 2);
    assert.equal(checks() - before, 2);
  });

  it("reads malformed arguments once, too", () => {
    const data = encodeCall("count", ["bytes[]"], [[]]);
    data[4 + 32 + 31] = 1;
    const context = callContext({});
    const before = checks();
    assert.equal(contract.gas(data, context), 0);
    assert.throws(() => contract.execute(data, context), NativeContractError);
    assert.equal(checks() - before, 1);
  });
});

describe("Calls of the reward contract", () => {
  it("select a method by exactly four bytes, and do not read the rest of longer data", () => {
    const contract = createRewardContract(genesisFederators(local));
    const execute = (data: Uint8Array) => {
      const { context } = recordCall({ network: local, state: emptyState() });
      return contract.execute(data, context);
    };
    const selector = fromHex("0d0cee93");
    assert.notEqual(execute(selector), null);
    assert.throws(() => execute(concatBytes(selector, Uint8Array.of(0))), { code: "INVALID_CALL" });
    assert.throws(() => execute(concatBytes(fromHex("be021a58"), Uint8Array.of(0))), { code: "INVALID_CALL" });
    assert.throws(
      () => execute(concatBytes(selector, new Uint8Array(100_000))),
      (error: Error) => error.message.length < 100,
    );
    assert.deepEqual(contract.address, REWARD_ADDRESS);
  });
});
