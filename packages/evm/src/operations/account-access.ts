import { GAS_COLD_ACCOUNT, GAS_WARM } from "../access-list.js";
import { OUT_OF_GAS } from "../errors.js";
import type { Execution } from "../execution.js";
import type { Frame } from "../frame.js";

/** From RSKIP-555 on, charges what an access to a cold account costs in addition to the opcode's constant price. */
export function chargeAccount(frame: Frame, { accesses }: Execution, address: Uint8Array): void {
  if (accesses?.touchAccount(address) !== true) return;
  frame.gas -= GAS_COLD_ACCOUNT - GAS_WARM;
  if (frame.gas < 0) throw OUT_OF_GAS;
}
