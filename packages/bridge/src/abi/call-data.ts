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
  if (data.length < 4) return undefined;
  const method = findMethod(toHex(data.subarray(0, 4)));
  if (method === undefined || !isEnabled(method, rules)) return undefined;
  const args = readArguments(method.definition, data);
  return args && { method, args };
}
