import type { Rules } from "@cambium/config";
import { type AbiArgument, readArguments, toHex } from "@cambium/primitives";
import { type BridgeMethod, findMethod, isEnabled, RELEASE_BTC } from "./methods.js";

/** A call whose data names an enabled method. */
export interface BridgeCall {
  method: BridgeMethod;
  args: readonly AbiArgument[];
}

/** The method and arguments that the call data selects, undefined if the data is invalid: `spec/06a §1.1`. */
export function parseCallData(data: Uint8Array | null, rules: Rules): BridgeCall | undefined {
  if (data === null || data.length === 0) return { method: RELEASE_BTC, args: [] };
  const method = selectedMethod(data, rules);
  const args = method && readArguments(method.definition, data);
  return args && { method, args };
}

/** The enabled method that call data names, undefined if there is none. */
export function selectedMethod(data: Uint8Array, rules: Rules): BridgeMethod | undefined {
  const method = data.length < 4 ? undefined : findMethod(toHex(data.subarray(0, 4)));
  return method !== undefined && isEnabled(method, rules) ? method : undefined;
}
