import { BAD_JUMP, INVALID_OPCODE, OUT_OF_GAS } from "./errors.js";
import type { Execution } from "./execution.js";
import type { Frame } from "./frame.js";
import { stepFailure, TRACE } from "./opcodes.js";
import { operations } from "./operations/index.js";
import { endStep, traceStep } from "./step-tracing.js";
import { isZero, MAX_SAFE, toBigint, toClampedNumber, toSigned, toWord, wrap } from "./words.js";

/** Gas between two checks for an interruption: a loop without storage uses it in some 100 microseconds. */
const CHECK_INTERVAL = 16_384;

/** Checks for an interruption; the gas below which the next check is due. */
function nextFloor(gas: number, execution: Execution): number {
  execution.checkInterruption();
  return execution.isInterruptible ? Math.max(0, gas - CHECK_INTERVAL) : 0;
}

/**
 * Runs a frame until it stops, reverts or waits for a call. Throws {@link FrameFailure} if it fails.
 *
 * A single loop checks stack bounds and constant gas of every opcode against one dense table (`spec/04 §3.1`). The most
 * frequent opcodes are handled inline on local variables; {@link operations} handles the others on the frame. A traced
 * frame differs only in its dispatch bytes, which send each step through the TRACE case first.
 *
 * Opcodes appear as literal numbers because the engine builds jump tables only from literal cases. This makes up a
 * third of the speed. The layout of the step table has the same reason (see `StepTable`).
 */
export function interpret(frame: Frame, execution: Execution): void {
  const { stack, memory } = frame;
  const { code, gasReserve: reserve = 0n } = frame.invocation;
  const { steps, tracer } = execution;
  const bytes = code.ops;
  const ops = tracer === undefined ? bytes : code.tracedOps;
  // Explicit integers let the engine keep position and stack size in registers.
  let pc = frame.pc | 0;
  let sp = frame.sp | 0;
  let gas = frame.gas;
  let op = ops[pc]!;
  // Gas below which the frame has run out, or a check is due: one comparison for both.
  let floor = nextFloor(gas, execution);

  for (;;) {
    const step = steps[op]!;
    if (sp < (step & 0x7ff) || sp > ((step >> 11) & 0x7ff)) throw stepFailure(op, sp);
    gas -= step >>> 22;
    if (gas < floor) {
      if (gas < 0) throw OUT_OF_GAS;
      floor = nextFloor(gas, execution);
    }

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
          stack[sp - 1] = a < stack[sp - 1]! ? 1 : 0;
          break;
        }
      case 0x11 /* GT */:
        {
          const a = stack[--sp]!;
          stack[sp - 1] = a > stack[sp - 1]! ? 1 : 0;
          break;
        }
      case 0x12 /* SLT */:
        {
          const a = stack[--sp]!;
          const b = stack[sp - 1]!;
          if (typeof a === "number" && typeof b === "number") stack[sp - 1] = a < b ? 1 : 0;
          else stack[sp - 1] = toSigned(a) < toSigned(b) ? 1 : 0;
          break;
        }
      case 0x13 /* SGT */:
        {
          const a = stack[--sp]!;
          const b = stack[sp - 1]!;
          if (typeof a === "number" && typeof b === "number") stack[sp - 1] = a > b ? 1 : 0;
          else stack[sp - 1] = toSigned(a) > toSigned(b) ? 1 : 0;
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
      case 0x18 /* XOR */:
        {
          const a = stack[--sp]!;
          const b = stack[sp - 1]!;
          if (typeof a === "number" && typeof b === "number" && a <= 0x7fffffff && b <= 0x7fffffff) {
            stack[sp - 1] = a ^ b;
          } else stack[sp - 1] = toBigint(a) ^ toBigint(b);
          break;
        }
      case 0x19 /* NOT */:
        stack[sp - 1] = wrap(~toBigint(stack[sp - 1]!));
        break;
      case 0x1b /* SHL */:
        {
          const shift = toClampedNumber(stack[--sp]!);
          stack[sp - 1] = shift >= 256 ? 0 : wrap(toBigint(stack[sp - 1]!) << BigInt(shift));
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
          if (offset + 32 > memory.size) {
            gas -= memory.expansionGas(offset + 32, execution.costs);
            if (gas < 0) throw OUT_OF_GAS;
            memory.grow(offset + 32);
          }
          stack[sp - 1] = memory.readWord(offset);
          break;
        }
      case 0x52 /* MSTORE */:
        {
          const offset = toClampedNumber(stack[--sp]!);
          if (offset + 32 > memory.size) {
            gas -= memory.expansionGas(offset + 32, execution.costs);
            if (gas < 0) throw OUT_OF_GAS;
            memory.grow(offset + 32);
          }
          memory.writeWord(offset, stack[--sp]!);
          break;
        }
      case 0x56 /* JUMP */:
        {
          const target = toClampedNumber(stack[--sp]!);
          if (!code.isDestination(target)) throw BAD_JUMP;
          pc = target | 0;
          op = ops[pc]!;
          continue;
        }
      case 0x57 /* JUMPI */:
        {
          const word = stack[--sp]!;
          if (isZero(stack[--sp]!)) break;
          const target = toClampedNumber(word);
          if (!code.isDestination(target)) throw BAD_JUMP;
          pc = target | 0;
          op = ops[pc]!;
          continue;
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
      case 0x0c /* TRACE */:
        op = bytes[pc]!;
        if (tracer === undefined) throw INVALID_OPCODE;
        frame.pc = pc;
        frame.sp = sp;
        frame.gas = gas;
        endStep(frame, tracer);
        traceStep(frame, op, tracer);
        // This byte is an undefined opcode in real code.
        if (op === TRACE) throw INVALID_OPCODE;
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
        pc = frame.pc | 0;
        sp = frame.sp | 0;
        gas = frame.gas;
    }
    op = ops[++pc]!;
  }
}
