import type { Rules } from "@cambium/config";
import type { AbiArgument, AbiArray } from "@cambium/primitives";
import type { BridgeMethod } from "./abi/methods.js";
import { confirmationsGas } from "./parent-chain/confirmations.js";
import type { BridgeSession } from "./session.js";

/** Gas per byte of call data, including the selector. */
export const DATA_GAS = 2;

/** Minimum gas of any call, including one that selects no method. */
export const LEAST_GAS = 2_000;

/** Gas of a method without the data part: `spec/06a §3`. */
export function methodGas(method: BridgeMethod, args: readonly AbiArgument[], session: BridgeSession): number {
  if (method.gas === "headers") return headersGas((args[0] as AbiArray).length, session.rules);
  return method.gas === "confirmations" ? confirmationsGas(session, args) : method.gas;
}

/** Gas of `receiveHeaders` for a number of headers. */
function headersGas(count: number, rules: Rules): number {
  const further = Math.max(0, count - 1);
  if (rules.rskip132) return 25_000 + 3_500 * further;
  return rules.rskip124 ? 66_000 + 1_650 * further : 22_000;
}
