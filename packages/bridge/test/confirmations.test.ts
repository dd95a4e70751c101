import assert from "node:assert/strict";
import { BRIDGE_ADDRESS, local } from "@cambium/config";
import { type AbiValue, abiFunction, bytesToBigint, concatBytes, encodeValues, fromHex } from "@cambium/primitives";
import { emptyState, recordCall } from "@cambium/test-utils/native-call";
import { createBridgeContract } from "../src/index.js";
import { CELLS } from "../src/storage/cells.js";

const METHOD = abiFunction("getBtcTransactionConfirmations", ["bytes32", "bytes32", "uint256", "bytes32[]"], []);
const UNKNOWN_BLOCK = -1n;

const HASH = new Uint8Array(32).fill(1);
const contract = createBridgeContract();

function callData(blockHash: Uint8Array, path: bigint, hashes: number): Uint8Array {
  const args: AbiValue[] = [HASH, blockHash, path, Array.from({ length: hashes }, () => HASH)];
  return concatBytes(fromHex(METHOD.selector), encodeValues(METHOD.inputs, args));
}

function confirmations(path: bigint, hashes: number): bigint {
  const { context } = recordCall({ network: local, state: emptyState() });
  return BigInt.asIntN(256, bytesToBigint(contract.execute(callData(HASH, path, hashes), context)!));
}

describe("path of getBtcTransactionConfirmations (spec/06b-1 §3.8)", () => {
  it("has no more significant bits than there are hashes", () => {
    assert.equal(confirmations(0n, 0), UNKNOWN_BLOCK);
    assert.equal(confirmations(7n, 3), UNKNOWN_BLOCK);
    for (const [path, hashes] of [
      [1n, 0],
      [8n, 3],
      [2n ** 30n, 30],
      [2n ** 31n - 1n, 30],
    ] as const) {
      assert.throws(() => confirmations(path, hashes), { code: "METHOD_FAILED" }, `${path} with ${hashes}`);
    }
  });

  it("is its low 32 bits, signed, and has no significant bits if negative", () => {
    for (const path of [2n ** 31n, 2n ** 32n - 1n, 2n ** 256n - 1n, 2n ** 32n, 2n ** 255n]) {
      for (const hashes of [0, 1, 31, 32]) assert.equal(confirmations(path, hashes), UNKNOWN_BLOCK);
      assert.throws(() => confirmations(path, 33), { code: "METHOD_FAILED" });
    }
    assert.throws(() => confirmations(2n ** 32n + 1n, 0), { code: "METHOD_FAILED" });
  });
});

describe("block hash of getBtcTransactionConfirmations", () => {
  it("fails without a message when computing the gas if it is the address of a shorter cell", () => {
    const state = emptyState();
    state.setStorageBytes(BRIDGE_ADDRESS, CELLS.feePerKb, fromHex("824e20"));
    const { context } = recordCall({ network: local, state });
    const data = callData(CELLS.feePerKb, 0n, 0);
    assert.throws(() => contract.gas(data, context), { code: "TEXTLESS_FAILURE" });
    assert.throws(() => contract.execute(data, context), { code: "STORED_BLOCK" });
  });
});
