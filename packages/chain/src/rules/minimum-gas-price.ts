import type { HeaderFields } from "@cambium/types";
import { BlockError } from "../faults.js";

type WithMinimumGasPrice = Pick<HeaderFields, "minimumGasPrice">;

/** Bounds of the next block's minimum gas price: one percent in either direction, but at least one wei. */
export function minimumGasPriceRange(parentPrice: bigint): { lowest: bigint; highest: bigint } {
  const percent = parentPrice / 100n;
  const step = percent > 1n ? percent : 1n;
  return { lowest: parentPrice > step ? parentPrice - step : 0n, highest: parentPrice + step };
}

/** `spec/02 §3.2`, C1-3. The field is signed and may be absent; both an absent and a negative one are out of range. */
export function minimumGasPriceStep(header: WithMinimumGasPrice, parent: WithMinimumGasPrice): void {
  const { lowest, highest } = minimumGasPriceRange(parent.minimumGasPrice ?? 0n);
  const actual = header.minimumGasPrice;
  if (actual === null || actual < lowest || actual > highest) {
    throw new BlockError({ code: "MINIMUM_GAS_PRICE_STEP", lowest, highest, actual });
  }
}
