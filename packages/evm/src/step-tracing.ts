import type { Frame } from "./frame.js";
import { opcodeName } from "./opcodes.js";
import type { Tracer } from "./tracer.js";
import { toBigint } from "./words.js";

/** Reports the step that is about to run. */
export function traceStep(frame: Frame, op: number, tracer: Tracer): void {
  const { stack, sp, memory } = frame;
  frame.tracedGas = frame.gas;
  frame.callCost = undefined;
  tracer.step?.({
    op,
    name: opcodeName(op),
    pc: frame.pc,
    depth: frame.depth,
    gas: frame.gas,
    address: frame.address,
    stack: () => stack.slice(0, sp).map(toBigint),
    memory: () => memory.bytes.slice(0, memory.size),
  });
}

/** Reports the cost of the frame's last step if it succeeded and was not reported yet. */
export function endStep(frame: Frame, tracer: Tracer): void {
  if (frame.tracedGas === undefined) return;
  tracer.stepDone?.(frame.callCost ?? frame.tracedGas - frame.gas, frame.depth);
  frame.tracedGas = undefined;
}
