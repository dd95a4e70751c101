import type { CallKind } from "@cambium/state";
import type { Execution } from "../execution.js";
import type { Frame } from "../frame.js";
import { InternalTransaction } from "../internal-transaction.js";
import type { Word } from "../words.js";

/** A call after charging its gas and growing memory to its output region. */
export interface MessageCall {
  kind: CallKind;
  /** The whole word from the stack; the address is its low 20 bytes. */
  target: Word;
  targetAddress: Uint8Array;
  value: Word;
  inOffset: number;
  inSize: number;
  outOffset: number;
  /** The whole word; before RSKIP-150, native contracts use its low 32 bits. */
  outOffsetWord: Word;
  outSize: number;
  gas: number;
}

/** Ends a call that opened no frame: pushes 0 and returns the gas. */
export function rejectCall(frame: Frame, gas: number): void {
  frame.push(0);
  frame.refundGas(gas);
}

/** Records a call or creation with the current values of its fields. */
export function recordInternal(
  frame: Frame,
  execution: Execution,
  receiver: Uint8Array,
  value: bigint,
  data: Uint8Array,
  note: "call" | "create",
  nonce = execution.state.getNonce(frame.address),
): InternalTransaction {
  const { transaction, block } = execution;
  // A literal of all fields: copying those of another object takes as long as a whole call.
  return new InternalTransaction({
    nonce,
    parent: frame.invocation.record ?? execution.outerRecord,
    sender: frame.address,
    receiver,
    value,
    data,
    note,
    gasPrice: transaction.gasPrice,
    blockGasLimit: block.gasLimit,
    depth: frame.depth,
    index: frame.internalTransactions++,
  });
}
