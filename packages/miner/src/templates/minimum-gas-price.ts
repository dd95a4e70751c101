import { minimumGasPriceRange } from "@cambium/chain";

/** Minimum gas price of the next block: as close to the target as one block may move it (`spec/02 §7.2`). */
export function nextMinimumGasPrice(parentPrice: bigint, target: bigint): bigint {
  const { lowest, highest } = minimumGasPriceRange(parentPrice);
  if (target < lowest) return lowest;
  return target > highest ? highest : target;
}
