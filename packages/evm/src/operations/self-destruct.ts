import { equalBytes } from "@cambium/primitives";
import { OUT_OF_GAS, STATIC_VIOLATION } from "../errors.js";
import type { Execution } from "../execution.js";
import type { Frame } from "../frame.js";
import { toAddress } from "../words.js";

/** SELFDESTRUCT (`spec/04 §4.5`). The account itself is removed at the end of the transaction. */
export function selfDestruct(frame: Frame, execution: Execution): void {
  const { state, tracer, accesses, costs } = execution;
  if (frame.invocation.isStatic) throw STATIC_VIOLATION;
  const beneficiary = toAddress(frame.pop());
  const surcharge = accesses?.touchAccount(beneficiary) === true ? costs.coldAccount : 0;
  frame.gas -= costs.selfDestruct + (state.exists(beneficiary) ? 0 : costs.newAccount) + surcharge;
  if (frame.gas < 0) throw OUT_OF_GAS;

  const amount = state.getBalance(frame.address);
  if (amount !== 0n) {
    frame.internalTransactions++;
    if (equalBytes(beneficiary, frame.address)) state.addBalance(frame.address, -amount);
    else state.transfer(frame.address, beneficiary, amount);
  }
  execution.destroyed.push(frame.address);
  tracer?.selfDestruct?.(frame.address, beneficiary, amount, frame.depth);
  frame.status = "stopped";
}
