import { Op } from "../opcodes.js";
import { fromBytes, toBigint, toSigned, toWord, type Word, wrap } from "../words.js";

/** Number of bytes of an instruction. */
export function lengthOf(op: number): number {
  return op >= Op.PUSH1 && op <= Op.PUSH32 ? op - Op.PUSH1 + 2 : 1;
}

export function isPush(op: number): boolean {
  return op >= Op.PUSH0 && op <= Op.PUSH32;
}

export interface Constant {
  value: Word;
  /** Position after the opcodes that compute it. */
  end: number;
}

/** Most opcodes that are replaced by their result. Compilers use up to five; more would make the search long. */
const MOST_OPCODES = 6;

/** The constant that the PUSH at a position, and the opcodes after it, leave on the stack. */
export function constantAt(bytes: Uint8Array, start: number, limit: number): Constant {
  const end = endOfConstant(bytes, start, limit);
  let pc = start + lengthOf(bytes[start]!);
  if (end === pc) return { value: pushed(bytes, start), end };
  const stack = [pushed(bytes, start)];
  while (pc < end) {
    const op = bytes[pc]!;
    if (isPush(op)) stack.push(pushed(bytes, pc));
    else compute(op, stack);
    pc += lengthOf(op);
  }
  return { value: stack[0]!, end };
}

/** Finds the longest sequence of opcodes from a PUSH on that leaves one item, the same always. */
function endOfConstant(bytes: Uint8Array, start: number, limit: number): number {
  let pc = start + lengthOf(bytes[start]!);
  let end = pc;
  let items = 1;
  for (let opcodes = 1; opcodes < MOST_OPCODES && pc < limit; opcodes++) {
    const op = bytes[pc]!;
    if (isPush(op)) items++;
    else if (op !== Op.NOT) {
      if (items < 2 || !BINARY.has(op)) break;
      items--;
    }
    pc += lengthOf(op);
    if (items === 1 && pc <= limit) end = pc;
  }
  return end;
}

function pushed(bytes: Uint8Array, pc: number): Word {
  const length = lengthOf(bytes[pc]!) - 1;
  if (length > 4) return fromBytes(bytes.subarray(pc + 1, pc + 1 + length));
  let value = 0;
  for (let i = 1; i <= length; i++) value = value * 256 + bytes[pc + i]!;
  return value;
}

function compute(op: number, stack: Word[]): void {
  const a = toBigint(stack.pop()!);
  const result = op === Op.NOT ? ~a : BINARY.get(op)!(a, toBigint(stack.pop()!));
  stack.push(toWord(wrap(result)));
}

/** Opcodes that compilers apply to constants. */
const BINARY = new Map<number, (a: bigint, b: bigint) => bigint>([
  [Op.ADD, (a, b) => a + b],
  [Op.SUB, (a, b) => a - b],
  [Op.SHL, (a, b) => (a < 256n ? b << a : 0n)],
]);

/** The constant to add: compilers subtract small numbers by adding almost 2^256. */
export function addend(value: Word): Word {
  const signed = toSigned(value);
  return signed < 0n && signed >= -MAX_SUBTRAHEND ? Number(signed) : value;
}

const MAX_SUBTRAHEND = 1n << 31n;

export function isPowerOfTwo(word: Word): boolean {
  const value = toBigint(word);
  return value > 0n && (value & (value - 1n)) === 0n;
}

export function exponentOf(powerOfTwo: Word): number {
  return toBigint(powerOfTwo).toString(2).length - 1;
}
