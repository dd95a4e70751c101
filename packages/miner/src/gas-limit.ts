import { GAS_LIMIT_DIVISOR, MIN_GAS_LIMIT } from "@cambium/config";

/** Where block gas limits should go. */
export interface GasLimitPolicy {
  /** Raised to `minimum` where it is below. */
  target: bigint;
  /** Whether to go straight for the target, or to follow how full blocks are. */
  force: boolean;
  /** The least a block may have; the consensus constant unless a test says otherwise. */
  minimum?: bigint;
}

/** Gas limit of the next block (`spec/02 §7.1`). */
export function nextGasLimit(parentLimit: bigint, parentGasUsed: bigint, policy: GasLimitPolicy): bigint {
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
