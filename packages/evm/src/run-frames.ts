import { EMPTY_BYTES } from "@cambium/primitives";
import { EMPTY_PROGRAM, FrameFailure } from "./errors.js";
import type { Execution } from "./execution.js";
import type { Frame } from "./frame.js";
import { interpret } from "./interpreter.js";
import { isLongCell } from "./native/native-failure.js";
import { codeDepositGas, depositFailure } from "./operations/create.js";
import { endStep, failStep } from "./step-tracing.js";
import type { Tracer } from "./tracer.js";
import { fromBytes } from "./words.js";

/**
 * Runs a frame and all its calls to the end. The frames form a linked list, so call depth does not use JavaScript's
 * stack.
 */
export function runFrames(top: Frame, execution: Execution): void {
  let frame = top;
  for (;;) {
    runFrame(frame, execution);
    if (frame.status === "waiting") {
      frame = frame.child!;
      continue;
    }
    closeFrame(frame, execution);
    const parent = frame.parent;
    if (parent === undefined || frame === top) return;
    if (frame.isCreation) finishCreation(parent, frame, execution);
    else finishCall(parent, frame);
    parent.child = undefined;
    parent.status = "running";
    frame = parent;
  }
}

function runFrame(frame: Frame, execution: Execution): void {
  try {
    const { code } = frame.invocation;
    // A code header can move the start to or beyond the end, where there is no implicit STOP (spec/04 §5.3).
    if (code.start >= code.bytes.length) throw EMPTY_PROGRAM;
    interpret(frame, execution);
  } catch (error) {
    frame.failure = asFailure(error);
    if (execution.tracer !== undefined) failStep(frame, execution.steps, execution.tracer);
    frame.status = "failed";
    frame.gas = 0;
    frame.refund = 0;
  }
}

/** A cell longer than a word fails the frame; any other error is a fault of the node and ends the execution. */
function asFailure(error: unknown): FrameFailure {
  if (error instanceof FrameFailure) return error;
  if (isLongCell(error)) return new FrameFailure("other", error.message);
  throw error;
}

function closeFrame(frame: Frame, execution: Execution): void {
  const { tracer } = execution;
  if (frame.status !== "stopped") execution.undo(frame);
  if (tracer !== undefined) traceExit(frame, tracer);
  frame.memory.release();
}

function traceExit(frame: Frame, tracer: Tracer): void {
  if (frame.status !== "failed") endStep(frame, tracer);
  tracer.exit?.({
    output: frame.output,
    gasUsed: frame.invocation.gas - frame.gas,
    reverted: frame.status === "reverted",
    failure: frame.failure,
  });
}

function finishCall(parent: Frame, child: Frame): void {
  parent.internalTransactions += child.internalTransactions;
  if (child.status === "failed") {
    parent.push(0);
    return;
  }
  if (child.status === "stopped") parent.absorb(child);
  const { outOffset, outSize } = child.invocation;
  parent.memory.copyIn(outOffset, Math.min(outSize, child.output.length), child.output, 0);
  parent.returnData = child.output;
  parent.refundGas(child.gas);
  parent.push(child.status === "stopped" ? 1 : 0);
}

/** The refund counter and internal transactions of init code do not reach the creator (`spec/04 §12`, 12). */
function finishCreation(parent: Frame, child: Frame, execution: Execution): void {
  if (child.status === "failed") {
    parent.push(0);
    return;
  }
  if (child.status === "reverted") {
    parent.returnData = EMPTY_BYTES;
    parent.refundGas(child.gas);
    parent.push(0);
    return;
  }
  const { address } = child.invocation;
  const failure = depositFailure(child.output, child.gas, execution);
  const cost = failure === undefined ? codeDepositGas(child.output, execution) : 0;
  execution.tracer?.deposit?.(cost, failure);
  if (failure === undefined) {
    child.gas -= cost;
    execution.state.setCode(address, child.output);
  } else if (execution.rules.rskip453) {
    execution.undo(child);
    parent.push(0);
    return;
  }
  parent.refundGas(child.gas);
  parent.push(fromBytes(address));
}
