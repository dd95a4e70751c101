import type { AccessList } from "../access-list.js";
import { OUT_OF_GAS, STATIC_VIOLATION } from "../errors.js";
import type { Execution } from "../execution.js";
import type { Frame } from "../frame.js";
import { toBigint, toWord } from "../words.js";

// Persistent and transient storage: spec/04 §3.4, §7.4.

export function sload(frame: Frame, execution: Execution): void {
  const { accesses, costs } = execution;
  const slot = toBigint(frame.pop());
  // The constant price is that of a warm cell.
  if (accesses?.touchCell(frame.address, slot) === true) spend(frame, costs.coldCell - costs.warm);
  frame.push(toWord(execution.state.getStorage(frame.address, slot)));
}

function spend(frame: Frame, gas: number): void {
  frame.gas -= gas;
  if (frame.gas < 0) throw OUT_OF_GAS;
}

/** Executes SSTORE. Before RSKIP-555 there is no net metering: the price depends only on the current value. */
export function sstore(frame: Frame, execution: Execution): void {
  if (frame.invocation.isStatic) throw STATIC_VIOLATION;
  const { state, accesses, costs } = execution;
  const slot = toBigint(frame.pop());
  const value = toBigint(frame.pop());
  if (accesses !== undefined) {
    chargeNet(frame, execution, accesses, slot, value);
    state.setStorage(frame.address, slot, value);
    return;
  }
  const isPresent = state.getStorage(frame.address, slot) !== 0n;
  if (isPresent && value === 0n) frame.refund += costs.clearCellRefund;
  spend(frame, !isPresent && value !== 0n ? costs.setCell : costs.changeCell);
  state.setStorage(frame.address, slot, value);
}

/** The charge of EIP-2200 with the prices of EIP-2929. The refund counter of a frame may become negative. */
function chargeNet(frame: Frame, execution: Execution, accesses: AccessList, slot: bigint, value: bigint): void {
  const { costs } = execution;
  // The stipend of a transfer must not pay for an SSTORE.
  if (frame.gas <= costs.stipend) throw OUT_OF_GAS;
  frame.noteSpare(costs.stipend + 1);
  const { address } = frame;
  const surcharge = accesses.touchCell(address, slot) ? costs.coldCell : 0;
  const current = execution.state.getStorage(address, slot);
  if (current === value) {
    spend(frame, surcharge + costs.warm);
    return;
  }
  const original = accesses.originalOf(address, slot, current);
  const firstPrice = original === 0n ? costs.setCell : costs.changeCell;
  spend(frame, surcharge + (current === original ? firstPrice : costs.warm));
  if (original !== 0n && value === 0n) frame.refund += costs.clearCellRefund;
  if (original !== 0n && current === 0n) frame.refund -= costs.clearCellRefund;
  if (original === value) frame.refund += firstPrice - costs.warm;
}

export function tload(frame: Frame, execution: Execution): void {
  frame.push(toWord(execution.state.getTransientStorage(frame.address, toBigint(frame.pop()))));
}

export function tstore(frame: Frame, execution: Execution): void {
  if (frame.invocation.isStatic) throw STATIC_VIOLATION;
  const slot = toBigint(frame.pop());
  execution.state.setTransientStorage(frame.address, slot, toBigint(frame.pop()));
}
