import { OUT_OF_GAS } from "../errors.js";
import type { Execution } from "../execution.js";
import type { Frame } from "../frame.js";

/** Makes an account warm; returns the additional cost of a cold one besides the opcode's price (0 before RSKIP-555). */
export function coldSurcharge({ accesses, costs }: Execution, address: Uint8Array): number {
  return accesses?.touchAccount(address) === true ? costs.coldAccount - costs.warm : 0;
}

/** Charges an access to an account: the surcharge if it is cold. */
export function chargeAccount(frame: Frame, execution: Execution, address: Uint8Array): void {
  frame.gas -= coldSurcharge(execution, address);
  if (frame.gas < 0) throw OUT_OF_GAS;
}
