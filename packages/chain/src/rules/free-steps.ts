import { isForDevelopment, type NetworkConfig } from "@cambium/config";
import { equalBytes, utf8 } from "@cambium/primitives";
import type { HeaderFields } from "@cambium/types";
import { gasLimitStep } from "./gas-limit.js";
import { minimumGasPriceStep } from "./minimum-gas-price.js";

/**
 * Extra data of a block whose gas limit and minimum gas price need not be close to those of its parent. On networks for
 * development only, where tools set both at once; elsewhere it is extra data as any other.
 */
export const FREE_STEPS: Uint8Array = utf8("cambium development: free steps");

type StepFields = Pick<HeaderFields, "extraData" | "gasLimit" | "minimumGasPrice">;

/**
 * `spec/02 §3.2`, C1-3 and C1-6, of which blocks marked with {@link FREE_STEPS} are exempt on networks for development.
 */
export function minimumGasPriceStepRule(header: StepFields, parent: StepFields, network: NetworkConfig): void {
  if (!hasFreeSteps(header, network)) minimumGasPriceStep(header, parent);
}

/** See {@link minimumGasPriceStepRule}. */
export function gasLimitStepRule(header: StepFields, parent: StepFields, network: NetworkConfig): void {
  if (!hasFreeSteps(header, network)) gasLimitStep(header, parent);
}

function hasFreeSteps({ extraData }: StepFields, network: NetworkConfig): boolean {
  return isForDevelopment(network) && equalBytes(extraData, FREE_STEPS);
}
