import { OPERAND_TOO_LARGE, STACK_UNDERFLOW } from "../errors.js";
import type { Frame } from "../frame.js";
import { toClampedNumber } from "../words.js";

// DUPN and SWAPN, removed by RSKIP-191: spec/04 §3.7. Each also skips the byte that follows it.

/** Pops the operand, the stack depth to access. */
function popDepth(frame: Frame, extra: number): number {
  frame.pc++;
  const operand = toClampedNumber(frame.pop());
  if (operand > 0x7fffffff) throw OPERAND_TOO_LARGE;
  const depth = operand + extra;
  if (frame.sp < depth) throw STACK_UNDERFLOW;
  return depth;
}

export function dupN(frame: Frame): void {
  const depth = popDepth(frame, 1);
  frame.push(frame.stack[frame.sp - depth]!);
}

export function swapN(frame: Frame): void {
  const depth = popDepth(frame, 2);
  const { stack, sp } = frame;
  const top = stack[sp - 1]!;
  stack[sp - 1] = stack[sp - depth]!;
  stack[sp - depth] = top;
}
