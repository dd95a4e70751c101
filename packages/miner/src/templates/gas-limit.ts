import { GAS_LIMIT_DIVISOR, MIN_GAS_LIMIT } from "@cambium/config";

/** Target of the block gas limit. */
export interface GasLimitPolicy {
  /** Target in gas; values below `minimum` are raised to it. */
  target: bigint;
  /** Whether to move to the target at the maximum rate, or to follow the gas used. */
  force: boolean;
  /** Minimum gas limit; by default the consensus constant. */
  minimum?: bigint;
}

/** Gas limit of the next block (`spec/02 §7.1`): without a policy, that of its parent. */
export function nextGasLimit(parentLimit: bigint, parentGasUsed: bigint, policy: GasLimitPolicy | undefined): bigint {
  if (policy === undefined) return parentLimit;
  const { minimum = MIN_GAS_LIMIT, force } = policy;
  const target = larger(policy.target, minimum);
  const step = parentLimit / GAS_LIMIT_DIVISOR;
  const [lowest, highest] = [parentLimit - step, parentLimit + step];
  if (force) return target < parentLimit ? larger(target, lowest) : smaller(target, highest);
  const contribution = (parentGasUsed * 3n) / 2n / GAS_LIMIT_DIVISOR;
  const next = smaller(larger(lowest + contribution, minimum), target);
  return next < lowest || next > highest ? parentLimit : next;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
