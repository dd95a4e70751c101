import type { Frame } from "./frame.js";
import { constantGas, opcodeName, type StepTable } from "./opcodes.js";
import type { Tracer } from "./tracer.js";
import { toBigint } from "./words.js";

/** Reports the step that is about to run. */
export function traceStep(frame: Frame, op: number, tracer: Tracer): void {
  const { stack, sp, memory } = frame;
  frame.tracedGas = frame.gas;
  frame.tracedItems = sp;
  frame.callCost = undefined;
  tracer.step?.({
    op,
    name: opcodeName(op),
    pc: frame.pc,
    isImplicit: frame.pc >= frame.invocation.code.bytes.length,
    depth: frame.depth,
    gas: frame.gas,
    address: frame.address,
    stack: () => stack.slice(0, sp).map(toBigint),
    memory: () => memory.bytes.slice(0, memory.size),
    returnData: () => frame.returnData.slice(),
    refund: () => refundOf(frame),
  });
}

function refundOf(frame: Frame): number {
  let refund = 0;
  for (let open: Frame | undefined = frame; open !== undefined; open = open.parent) refund += open.refund;
  return refund;
}

/** Reports the step that failed the frame, if there is one. `sp` of the frame may have changed since it began. */
export function failStep(frame: Frame, steps: StepTable, tracer: Tracer): void {
  if (frame.tracedGas === undefined) return;
  const op = frame.invocation.code.ops[frame.pc]!;
  const charged = frame.callCost ?? frame.tracedGas - frame.gas;
  const gasCost = Math.max(charged, constantGas(steps, op));
  tracer.stepFailed?.({ op, name: opcodeName(op), gasCost, stackSize: frame.tracedItems });
  frame.tracedGas = undefined;
}

/** Reports the cost of the frame's last step if it succeeded and was not reported yet. */
export function endStep(frame: Frame, tracer: Tracer): void {
  if (frame.tracedGas === undefined) return;
  tracer.stepDone?.(frame.callCost ?? frame.tracedGas - frame.gas, frame.depth);
  frame.tracedGas = undefined;
}
