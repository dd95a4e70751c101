import { singleSteps } from "./code/single-steps.js";
import { BAD_JUMP, OUT_OF_GAS } from "./errors.js";
import type { Execution } from "./execution.js";
import type { Frame } from "./frame.js";
import { growMemory, nextFloor } from "./loop-gas.js";
import { stepFailure } from "./opcodes.js";
import { operations } from "./operations/index.js";
import { endStep, traceStep } from "./step-tracing.js";
import { isZero, MAX_SAFE, shiftedLeft, toBigint, toClampedNumber, toWord, wrap } from "./words.js";

/**
 * Runs a frame until it stops, reverts or waits for a call. Throws {@link FrameFailure} if it fails.
 *
 * The outer loop checks the stack bounds and charges the constant gas of the opcodes that the inner loop then executes:
 * of a block, if the code is divided into {@link Blocks}, or of one opcode, against one dense table (`spec/04 §3.1`).
 * Traced frames, code that is rarely used, and blocks that will fail run opcode by opcode. The most frequent
 * instructions are handled inline on local variables; {@link operations} handles the others on the frame.
 *
 * Opcodes appear as literal numbers because the engine builds jump tables only from literal cases. This makes up a
 * third of the speed. The layout of the step table has the same reason (see `StepTable`).
 */
export function interpret(frame: Frame, execution: Execution): void {
  const { stack, memory } = frame;
  const { code, gasReserve: reserve = 0n } = frame.invocation;
  const { steps, tracer } = execution;
  const bytes = code.ops;
  let { ops, operands, checks, constants } =
    (tracer === undefined && code.blocksFor(steps)) || singleSteps(bytes.length);
  // Explicit integers let the engine keep position and stack size in registers.
  let pc = frame.pc | 0;
  let sp = frame.sp | 0;
  let gas = frame.gas;
  // Gas below which the frame has run out, or a check is due: one comparison for both.
  let floor = nextFloor(gas, execution);

  next: for (;;) {
    let op = ops[pc]!;
    if (op === 0x0c /* STEP */) {
      op = bytes[pc]!;
      if (tracer === undefined) {
        code.executed++;
        if (op === 0x5b /* JUMPDEST */ && operands.length === 0) {
          const blocks = code.blocksFor(steps);
          if (blocks !== undefined) {
            ({ ops, operands, checks, constants } = blocks);
            continue;
          }
        }
      } else {
        frame.pc = pc;
        frame.sp = sp;
        frame.gas = gas;
        endStep(frame, tracer);
        traceStep(frame, op, tracer);
      }
      const step = steps[op]!;
      if (sp < (step & 0x7ff) || sp > ((step >> 11) & 0x7ff)) throw stepFailure(op, sp);
      gas -= step >>> 22;
      if (gas < floor) {
        if (gas < 0) throw OUT_OF_GAS;
        floor = nextFloor(gas, execution);
      }
    } else {
      const block = operands[pc]! * 4;
      const left = gas - checks[block]!;
      if (left < 0 || sp < checks[block + 1]! || sp > checks[block + 2]!) {
        ops = singleSteps(bytes.length).ops;
        continue;
      }
      if (left < floor) floor = nextFloor(left, execution);
      gas = left;
      op = op === 0x0d /* BLOCK */ ? checks[block + 3]! : ops[++pc]!;
    }

    for (;;) {
      if (op >= 0x60 && op <= 0x9f) {
        if (op === 0x60 /* PUSH1 */) {
          stack[sp++] = bytes[++pc]!;
        } else if (op <= 0x7f /* PUSH32 */) {
          const length = op - 0x5f;
          stack[sp++] = length <= 4 ? code.shortConstant(pc, length) : code.constant(pc, length);
          pc += length;
        } else if (op <= 0x8f /* DUP16 */) {
          stack[sp] = stack[sp - (op - 0x7f)]!;
          sp++;
        } else {
          const other = sp - (op - 0x8e);
          const top = stack[sp - 1]!;
          stack[sp - 1] = stack[other]!;
          stack[other] = top;
        }
        op = ops[++pc]!;
        continue;
      }

      switch (op) {
        case 0x00 /* STOP */:
          frame.gas = gas;
          frame.status = "stopped";
          return;
        case 0x01 /* ADD */:
          {
            const a = stack[--sp]!;
            const b = stack[sp - 1]!;
            if (typeof a === "number" && typeof b === "number" && a + b <= MAX_SAFE) stack[sp - 1] = a + b;
            else stack[sp - 1] = wrap(toBigint(a) + toBigint(b));
            break;
          }
        case 0x03 /* SUB */:
          {
            const a = stack[--sp]!;
            const b = stack[sp - 1]!;
            if (typeof a === "number" && typeof b === "number" && a >= b) stack[sp - 1] = a - b;
            else stack[sp - 1] = wrap(toBigint(a) - toBigint(b));
            break;
          }
        case 0x02 /* MUL */:
          {
            const a = stack[--sp]!;
            const b = stack[sp - 1]!;
            if (typeof a === "number" && typeof b === "number" && a * b <= MAX_SAFE) stack[sp - 1] = a * b;
            else stack[sp - 1] = wrap(toBigint(a) * toBigint(b));
            break;
          }
        case 0x04 /* DIV */:
          {
            const a = stack[--sp]!;
            const b = stack[sp - 1]!;
            if (isZero(b)) stack[sp - 1] = 0;
            else if (typeof a === "number" && typeof b === "number") stack[sp - 1] = (a - (a % b)) / b;
            else stack[sp - 1] = toWord(toBigint(a) / toBigint(b));
            break;
          }
        case 0x06 /* MOD */:
          {
            const a = stack[--sp]!;
            const b = stack[sp - 1]!;
            if (isZero(b)) stack[sp - 1] = 0;
            else if (typeof a === "number" && typeof b === "number") stack[sp - 1] = a % b;
            else stack[sp - 1] = toWord(toBigint(a) % toBigint(b));
            break;
          }
        case 0x10 /* LT */:
          {
            const a = stack[--sp]!;
            const b = stack[sp - 1]!;
            if (typeof a === "number" && typeof b === "number") stack[sp - 1] = a < b ? 1 : 0;
            else stack[sp - 1] = toBigint(a) < toBigint(b) ? 1 : 0;
            break;
          }
        case 0x11 /* GT */:
          {
            const a = stack[--sp]!;
            const b = stack[sp - 1]!;
            if (typeof a === "number" && typeof b === "number") stack[sp - 1] = a > b ? 1 : 0;
            else stack[sp - 1] = toBigint(a) > toBigint(b) ? 1 : 0;
            break;
          }
        case 0x14 /* EQ */:
          {
            const a = stack[--sp]!;
            const b = stack[sp - 1]!;
            stack[sp - 1] = a === b || (typeof a !== typeof b && toBigint(a) === toBigint(b)) ? 1 : 0;
            break;
          }
        case 0x15 /* ISZERO */:
          stack[sp - 1] = isZero(stack[sp - 1]!) ? 1 : 0;
          break;
        case 0x16 /* AND */:
          {
            const a = stack[--sp]!;
            const b = stack[sp - 1]!;
            if (typeof a === "number" && typeof b === "number" && a <= 0x7fffffff && b <= 0x7fffffff) {
              stack[sp - 1] = a & b;
            } else stack[sp - 1] = toWord(toBigint(a) & toBigint(b));
            break;
          }
        case 0x17 /* OR */:
          {
            const a = stack[--sp]!;
            const b = stack[sp - 1]!;
            if (typeof a === "number" && typeof b === "number" && a <= 0x7fffffff && b <= 0x7fffffff) {
              stack[sp - 1] = a | b;
            } else stack[sp - 1] = toBigint(a) | toBigint(b);
            break;
          }
        case 0x19 /* NOT */:
          stack[sp - 1] = wrap(~toBigint(stack[sp - 1]!));
          break;
        case 0x1b /* SHL */:
          {
            const shift = toClampedNumber(stack[--sp]!);
            stack[sp - 1] = shift >= 256 ? 0 : shiftedLeft(stack[sp - 1]!, shift);
            break;
          }
        case 0x1c /* SHR */:
          {
            const shift = toClampedNumber(stack[--sp]!);
            stack[sp - 1] = shift >= 256 ? 0 : toWord(toBigint(stack[sp - 1]!) >> BigInt(shift));
            break;
          }
        case 0x50 /* POP */:
          sp--;
          break;
        case 0x51 /* MLOAD */:
          {
            const offset = toClampedNumber(stack[sp - 1]!);
            if (offset + 32 > memory.size) gas = growMemory(memory, offset + 32, gas, execution);
            stack[sp - 1] = memory.readWord(offset);
            break;
          }
        case 0x52 /* MSTORE */:
          {
            const offset = toClampedNumber(stack[--sp]!);
            if (offset + 32 > memory.size) gas = growMemory(memory, offset + 32, gas, execution);
            memory.writeWord(offset, stack[--sp]!);
            break;
          }
        case 0x56 /* JUMP */:
          {
            const target = toClampedNumber(stack[--sp]!);
            if (!code.isDestination(target)) throw BAD_JUMP;
            pc = target | 0;
            continue next;
          }
        case 0x57 /* JUMPI */:
          {
            const word = stack[--sp]!;
            if (isZero(stack[--sp]!)) {
              pc++;
              continue next;
            }
            const target = toClampedNumber(word);
            if (!code.isDestination(target)) throw BAD_JUMP;
            pc = target | 0;
            continue next;
          }
        case 0x58 /* PC */:
          stack[sp++] = pc;
          break;
        case 0x59 /* MSIZE */:
          stack[sp++] = memory.size;
          break;
        case 0x5a /* GAS */:
          stack[sp++] = reserve === 0n ? gas : BigInt(gas) + reserve;
          break;
        case 0x5b /* JUMPDEST */:
          break;
        case 0x5f /* PUSH0 */:
          stack[sp++] = 0;
          break;
        case 0x0c /* STEP */:
        case 0x0d /* BLOCK */:
        case 0x0e /* LANDING */:
          continue next;
        case 0x21 /* CONSTANT */:
          stack[sp++] = constants[operands[pc + 1]!]!;
          pc += operands[pc + 2]!;
          break;
        case 0x22 /* JUMP_TO */:
          pc = operands[pc + 1]!;
          continue next;
        case 0x23 /* JUMP_IF */:
          if (isZero(stack[--sp]!)) {
            pc += operands[pc + 2]! + 1;
            continue next;
          }
          pc = operands[pc + 1]!;
          continue next;
        case 0x24 /* JUMP_UNLESS */:
          if (!isZero(stack[--sp]!)) {
            pc += operands[pc + 2]! + 1;
            continue next;
          }
          pc = operands[pc + 1]!;
          continue next;
        case 0x25 /* ADD_CONSTANT */:
          {
            const a = constants[operands[pc + 1]!]!;
            const b = stack[sp - 1]!;
            if (typeof a === "number" && typeof b === "number" && a + b <= MAX_SAFE && a + b >= 0)
              stack[sp - 1] = a + b;
            else stack[sp - 1] = wrap(toBigint(a) + toBigint(b));
            pc += operands[pc + 2]!;
            break;
          }
        case 0x26 /* SHIFT_LEFT */:
          stack[sp - 1] = shiftedLeft(stack[sp - 1]!, operands[pc + 1]!);
          pc += operands[pc + 2]!;
          break;
        case 0x27 /* SHIFT_RIGHT */:
          stack[sp - 1] = toWord(toBigint(stack[sp - 1]!) >> BigInt(operands[pc + 1]!));
          pc += operands[pc + 2]!;
          break;
        default:
          frame.pc = pc;
          frame.sp = sp;
          frame.gas = gas;
          operations[op]!(frame, execution, op);
          if (frame.status !== "running") {
            frame.pc++;
            return;
          }
          pc = frame.pc | 0;
          sp = frame.sp | 0;
          gas = frame.gas;
      }
      op = ops[++pc]!;
    }
  }
}
