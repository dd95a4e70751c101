import { BLOCK_HEADER_ADDRESS, type Rules } from "@cambium/config";
import { abiFunction, bigintToTwosComplement, EMPTY_BYTES } from "@cambium/primitives";
import type { NativeContract } from "@cambium/state";
import { NativeContractError } from "../errors.js";
import { createNativeContract, type NativeMethod } from "../native-frame.js";
import { type Ancestor, ancestorAtDepth } from "./ancestor.js";
import { additionalTags } from "./merged-mining-tags.js";
import { asInt16 } from "./short-integer.js";

/** Reads one value of an ancestor; `index` is the second argument of methods that have one. */
type Reader = (ancestor: Ancestor, index: bigint) => Uint8Array | null;

/** Defines a method whose first argument is the depth; returns empty bytes if the block is not accessible. */
function method(name: string, read: Reader, inputs = ["int256"], isEnabled?: (rules: Rules) => boolean): NativeMethod {
  return {
    definition: abiFunction(name, inputs, ["bytes"]),
    isEnabled,
    gas: (_args, data) => 4000 + 2 * data.length,
    execute([depth, index], context) {
      const ancestor = ancestorAtDepth(context.block, depth as bigint, name);
      return ancestor === undefined ? EMPTY_BYTES : read(ancestor, index as bigint);
    },
  };
}

const rskip536 = (rules: Rules): boolean => rules.rskip536;

function uncleCoinbase(ancestor: Ancestor, index: bigint): Uint8Array {
  const position = asInt16(index);
  if (position === undefined) return EMPTY_BYTES;
  if (position < 0) {
    throw new NativeContractError({
      code: "INVALID_ARGUMENT",
      method: "getUncleCoinbaseAddress",
      argument: "uncleIndex",
      reason: "negative",
    });
  }
  return ancestor.uncles()[position]?.coinbase ?? EMPTY_BYTES;
}

function difficultyWithUncles(ancestor: Ancestor): bigint {
  return ancestor.uncles().reduce((sum, uncle) => sum + uncle.difficultyValue, ancestor.header.difficultyValue);
}

/** Fields of the last 4000 blocks on the executing block's branch: `spec/04 §6.9` (RSKIP-119, RSKIP-536). */
export const blockHeader: NativeContract = createNativeContract({
  address: BLOCK_HEADER_ADDRESS,
  name: "BlockHeader",
  isActive: (rules) => rules.rskip119,
  methods: [
    method("getCoinbaseAddress", ({ header }) => header.coinbase),
    method("getBlockHash", ({ hash }) => hash),
    method("getMergedMiningTags", ({ header }) => additionalTags(header)),
    method("getMinGasPrice", ({ header }) =>
      header.minimumGasPrice === null ? EMPTY_BYTES : bigintToTwosComplement(header.minimumGasPrice),
    ),
    method("getGasLimit", ({ header }) => header.gasLimit),
    method("getGasUsed", ({ header }) => bigintToTwosComplement(BigInt(header.gasUsed))),
    method("getDifficulty", ({ header }) => bigintToTwosComplement(header.difficultyValue)),
    method("getBitcoinHeader", ({ header }) => header.parentChainHeader),
    method("getUncleCoinbaseAddress", uncleCoinbase, ["int256", "int256"]),
    method(
      "getDifficultyWithUncles",
      (ancestor) => bigintToTwosComplement(difficultyWithUncles(ancestor)),
      ["int256"],
      rskip536,
    ),
    method("getCumulativeWork", (ancestor) => bigintToTwosComplement(ancestor.totalDifficulty()), ["int256"], rskip536),
  ],
});
