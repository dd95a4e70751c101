import { OUT_OF_GAS } from "../errors.js";
import type { Execution } from "../execution.js";
import type { Frame } from "../frame.js";

/** From RSKIP-555 on, what an access to a cold account costs in addition to the opcode's price; makes it warm. */
export function coldSurcharge({ accesses, costs }: Execution, address: Uint8Array): number {
  return accesses?.touchAccount(address) === true ? costs.coldAccount - costs.warm : 0;
}

export function chargeAccount(frame: Frame, execution: Execution, address: Uint8Array): void {
  frame.gas -= coldSurcharge(execution, address);
  if (frame.gas < 0) throw OUT_OF_GAS;
}
