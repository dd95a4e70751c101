import { BAD_JUMP, INVALID_OPCODE, OUT_OF_GAS } from "./errors.js";
import type { Execution } from "./execution.js";
import type { Frame } from "./frame.js";
import { Op, stepFailure, TRACE } from "./opcodes.js";
import { operations } from "./operations/index.js";
import { endStep, traceStep } from "./step-tracing.js";
import { isZero, MAX_SAFE, toBigint, toClampedNumber, toSigned, toWord, wrap } from "./words.js";

/**
 * Runs a frame until it stops, reverts or waits for a call; throws a FrameFailure when it fails.
 *
 * One loop over one dense table: stack bounds and constant gas of every opcode are checked in the same place
 * (`spec/04 §3.1`). The opcodes that make up most of real code are handled here on local variables; all others
 * ({@link operations}) work on the frame. A traced frame differs only in the bytes it dispatches on, which send each step
 * through the TRACE case first.
 */
export function interpret(frame: Frame, execution: Execution): void {
  const { stack, memory } = frame;
  const { code, gasReserve: reserve = 0n } = frame.invocation;
  const { minStack, maxStack, gas: constantGas } = execution.table;
  const { tracer } = execution;
  const ops = tracer === undefined ? code.ops : code.tracedOps;
  let { pc, sp, gas } = frame;
  let op = ops[pc]!;

  for (;;) {
    if (sp < minStack[op]! || sp > maxStack[op]!) throw stepFailure(op, sp);
    gas -= constantGas[op]!;
    if (gas < 0) throw OUT_OF_GAS;

    if (op >= Op.PUSH1 && op <= Op.SWAP16) {
      if (op <= Op.PUSH32) {
        const length = op - Op.PUSH1 + 1;
        stack[sp++] = length <= 4 ? code.shortConstant(pc, length) : code.constant(pc, length);
        pc += length;
      } else if (op <= Op.DUP16) {
        stack[sp] = stack[sp - (op - Op.DUP1 + 1)]!;
        sp++;
      } else {
        const other = sp - (op - Op.SWAP1 + 2);
        const top = stack[sp - 1]!;
        stack[sp - 1] = stack[other]!;
        stack[other] = top;
      }
      op = ops[++pc]!;
      continue;
    }

    switch (op) {
      case Op.STOP:
        frame.gas = gas;
        frame.status = "stopped";
        return;
      case Op.ADD: {
        const a = stack[--sp]!;
        const b = stack[sp - 1]!;
        if (typeof a === "number" && typeof b === "number" && a + b <= MAX_SAFE) stack[sp - 1] = a + b;
        else stack[sp - 1] = wrap(toBigint(a) + toBigint(b));
        break;
      }
      case Op.SUB: {
        const a = stack[--sp]!;
        const b = stack[sp - 1]!;
        if (typeof a === "number" && typeof b === "number" && a >= b) stack[sp - 1] = a - b;
        else stack[sp - 1] = wrap(toBigint(a) - toBigint(b));
        break;
      }
      case Op.MUL: {
        const a = stack[--sp]!;
        const b = stack[sp - 1]!;
        if (typeof a === "number" && typeof b === "number" && a * b <= MAX_SAFE) stack[sp - 1] = a * b;
        else stack[sp - 1] = wrap(toBigint(a) * toBigint(b));
        break;
      }
      case Op.DIV: {
        const a = stack[--sp]!;
        const b = stack[sp - 1]!;
        if (isZero(b)) stack[sp - 1] = 0;
        else if (typeof a === "number" && typeof b === "number") stack[sp - 1] = (a - (a % b)) / b;
        else stack[sp - 1] = toWord(toBigint(a) / toBigint(b));
        break;
      }
      case Op.MOD: {
        const a = stack[--sp]!;
        const b = stack[sp - 1]!;
        if (isZero(b)) stack[sp - 1] = 0;
        else if (typeof a === "number" && typeof b === "number") stack[sp - 1] = a % b;
        else stack[sp - 1] = toWord(toBigint(a) % toBigint(b));
        break;
      }
      case Op.LT: {
        const a = stack[--sp]!;
        stack[sp - 1] = a < stack[sp - 1]! ? 1 : 0;
        break;
      }
      case Op.GT: {
        const a = stack[--sp]!;
        stack[sp - 1] = a > stack[sp - 1]! ? 1 : 0;
        break;
      }
      case Op.SLT: {
        const a = stack[--sp]!;
        const b = stack[sp - 1]!;
        if (typeof a === "number" && typeof b === "number") stack[sp - 1] = a < b ? 1 : 0;
        else stack[sp - 1] = toSigned(a) < toSigned(b) ? 1 : 0;
        break;
      }
      case Op.SGT: {
        const a = stack[--sp]!;
        const b = stack[sp - 1]!;
        if (typeof a === "number" && typeof b === "number") stack[sp - 1] = a > b ? 1 : 0;
        else stack[sp - 1] = toSigned(a) > toSigned(b) ? 1 : 0;
        break;
      }
      case Op.EQ: {
        const a = stack[--sp]!;
        const b = stack[sp - 1]!;
        stack[sp - 1] = a === b || (typeof a !== typeof b && toBigint(a) === toBigint(b)) ? 1 : 0;
        break;
      }
      case Op.ISZERO:
        stack[sp - 1] = isZero(stack[sp - 1]!) ? 1 : 0;
        break;
      case Op.AND: {
        const a = stack[--sp]!;
        const b = stack[sp - 1]!;
        if (typeof a === "number" && typeof b === "number" && a <= 0x7fffffff && b <= 0x7fffffff) {
          stack[sp - 1] = a & b;
        } else stack[sp - 1] = toWord(toBigint(a) & toBigint(b));
        break;
      }
      case Op.OR: {
        const a = stack[--sp]!;
        const b = stack[sp - 1]!;
        if (typeof a === "number" && typeof b === "number" && a <= 0x7fffffff && b <= 0x7fffffff) {
          stack[sp - 1] = a | b;
        } else stack[sp - 1] = toBigint(a) | toBigint(b);
        break;
      }
      case Op.XOR: {
        const a = stack[--sp]!;
        const b = stack[sp - 1]!;
        if (typeof a === "number" && typeof b === "number" && a <= 0x7fffffff && b <= 0x7fffffff) {
          stack[sp - 1] = a ^ b;
        } else stack[sp - 1] = toBigint(a) ^ toBigint(b);
        break;
      }
      case Op.NOT:
        stack[sp - 1] = wrap(~toBigint(stack[sp - 1]!));
        break;
      case Op.SHL: {
        const shift = toClampedNumber(stack[--sp]!);
        stack[sp - 1] = shift >= 256 ? 0 : wrap(toBigint(stack[sp - 1]!) << BigInt(shift));
        break;
      }
      case Op.SHR: {
        const shift = toClampedNumber(stack[--sp]!);
        stack[sp - 1] = shift >= 256 ? 0 : toWord(toBigint(stack[sp - 1]!) >> BigInt(shift));
        break;
      }
      case Op.POP:
        sp--;
        break;
      case Op.MLOAD: {
        const offset = toClampedNumber(stack[sp - 1]!);
        if (offset + 32 > memory.size) {
          gas -= memory.expansionGas(offset + 32);
          if (gas < 0) throw OUT_OF_GAS;
          memory.grow(offset + 32);
        }
        stack[sp - 1] = memory.readWord(offset);
        break;
      }
      case Op.MSTORE: {
        const offset = toClampedNumber(stack[--sp]!);
        if (offset + 32 > memory.size) {
          gas -= memory.expansionGas(offset + 32);
          if (gas < 0) throw OUT_OF_GAS;
          memory.grow(offset + 32);
        }
        memory.writeWord(offset, stack[--sp]!);
        break;
      }
      case Op.JUMP: {
        const target = toClampedNumber(stack[--sp]!);
        if (!code.isDestination(target)) throw BAD_JUMP;
        pc = target;
        op = ops[pc]!;
        continue;
      }
      case Op.JUMPI: {
        const target = stack[--sp]!;
        if (isZero(stack[--sp]!)) break;
        pc = toClampedNumber(target);
        if (!code.isDestination(pc)) throw BAD_JUMP;
        op = ops[pc]!;
        continue;
      }
      case Op.PC:
        stack[sp++] = pc;
        break;
      case Op.MSIZE:
        stack[sp++] = memory.size;
        break;
      case Op.GAS:
        stack[sp++] = reserve === 0n ? gas : BigInt(gas) + reserve;
        break;
      case Op.JUMPDEST:
        break;
      case Op.PUSH0:
        stack[sp++] = 0;
        break;
      case TRACE:
        op = code.ops[pc]!;
        if (tracer === undefined || op === TRACE) throw INVALID_OPCODE;
        frame.pc = pc;
        frame.sp = sp;
        frame.gas = gas;
        endStep(frame, tracer);
        traceStep(frame, op, tracer);
        continue;
      default:
        frame.pc = pc;
        frame.sp = sp;
        frame.gas = gas;
        operations[op]!(frame, execution, op);
        if (frame.status !== "running") {
          frame.pc++;
          return;
        }
        ({ pc, sp, gas } = frame);
    }
    op = ops[++pc]!;
  }
}
