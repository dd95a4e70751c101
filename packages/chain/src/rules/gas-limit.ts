import { GAS_LIMIT_DIVISOR, MIN_GAS_LIMIT } from "@cambium/config";
import { bytesToBigint } from "@cambium/primitives";
import type { HeaderFields } from "@cambium/types";
import { BlockError } from "../faults.js";

type WithGasLimit = Pick<HeaderFields, "gasLimit">;

/** Bounds of the next block's gas limit, asymmetric because each is truncated after multiplying (`spec/02 §10`, Q5). */
export function gasLimitRange(parentGasLimit: bigint): { lowest: bigint; highest: bigint } {
  return {
    lowest: (parentGasLimit * (GAS_LIMIT_DIVISOR - 1n)) / GAS_LIMIT_DIVISOR,
    highest: (parentGasLimit * (GAS_LIMIT_DIVISOR + 1n)) / GAS_LIMIT_DIVISOR,
  };
}

/** `spec/02 §3.2`, C1-6. */
export function gasLimitStep(header: WithGasLimit, parent: WithGasLimit): void {
  const { lowest, highest } = gasLimitRange(bytesToBigint(parent.gasLimit));
  const actual = bytesToBigint(header.gasLimit);
  if (actual < lowest || actual > highest) throw new BlockError({ code: "GAS_LIMIT_STEP", lowest, highest, actual });
}

/** `spec/02 §3.7`, C2-8. */
export function gasLimitMinimum(header: WithGasLimit): void {
  const actual = bytesToBigint(header.gasLimit);
  if (actual < MIN_GAS_LIMIT) throw new BlockError({ code: "GAS_LIMIT_MINIMUM", minimum: MIN_GAS_LIMIT, actual });
}
