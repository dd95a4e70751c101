import { isForDevelopment, type NetworkConfig } from "@cambium/config";
import { equalBytes, utf8 } from "@cambium/primitives";
import type { HeaderFields } from "@cambium/types";
import { gasLimitStep } from "./gas-limit.js";
import { minimumGasPriceStep } from "./minimum-gas-price.js";

/**
 * Extra data of a block whose gas limit and minimum gas price may differ from its parent's by any amount. They count
 * only on networks for development, where tools set both in one step; elsewhere they have no meaning.
 */
export const FREE_STEPS: Uint8Array = utf8("cambium development: free steps");

type StepFields = Pick<HeaderFields, "extraData" | "gasLimit" | "minimumGasPrice">;

/**
 * Checks `spec/02 §3.2`, C1-3 and C1-6. Blocks marked with {@link FREE_STEPS} are exempt on networks for development.
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
