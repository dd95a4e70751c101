import { Op, STACK_LIMIT, type StepTable } from "../opcodes.js";
import { toClampedNumber, type Word } from "../words.js";
import { addend, type Constant, constantAt, exponentOf, isPowerOfTwo, isPush, lengthOf } from "./constants.js";
import { Fused } from "./fused.js";

/** Longest code with blocks: its positions are operands of 16 bits. */
const LONGEST = 0xffff;

/** Opcodes whose only effects are on the stack and on memory, and which fail only for lack of gas. */
const INNER = opcodeTable([
  ...[Op.ADD, Op.MUL, Op.SUB, Op.DIV, Op.SDIV, Op.MOD, Op.SMOD, Op.ADDMOD, Op.MULMOD, Op.SIGNEXTEND],
  ...[Op.LT, Op.GT, Op.SLT, Op.SGT, Op.EQ, Op.ISZERO, Op.AND, Op.OR, Op.XOR, Op.NOT, Op.BYTE, Op.SHL, Op.SHR, Op.SAR],
  ...[Op.ADDRESS, Op.ORIGIN, Op.CALLER, Op.CALLVALUE, Op.CALLDATALOAD, Op.CALLDATASIZE, Op.CODESIZE, Op.GASPRICE],
  ...[Op.RETURNDATASIZE, Op.COINBASE, Op.TIMESTAMP, Op.NUMBER, Op.DIFFICULTY, Op.GASLIMIT, Op.CHAINID, Op.BASEFEE],
  ...[Op.POP, Op.MLOAD, Op.MSTORE, Op.PC, Op.MSIZE, Op.JUMPDEST, Op.PUSH0],
  // PUSH, DUP and SWAP
  ...Array.from({ length: Op.LOG0 - Op.PUSH1 }, (_, i) => Op.PUSH1 + i),
]);

/** Opcodes after which the next opcode is reached only by a jump. */
const LAST = opcodeTable([Op.STOP, Op.JUMP, Op.RETURN, Op.REVERT, Op.SELFDESTRUCT]);

/** A table by opcode, of 1 for the named ones. */
function opcodeTable(ops: readonly number[]): Uint8Array {
  const table = new Uint8Array(256);
  for (const op of ops) table[op] = 1;
  return table;
}

/**
 * Code in blocks, under the rules of a step table. A block ends after an opcode that jumps, ends the frame, or depends
 * on gas or state. One check of the stack and one charge cover all its opcodes. If they fail, the frame fails within
 * the block, and the loop continues opcode by opcode to find the one that fails. Within a block, frequent sequences of
 * opcodes are fused into one instruction.
 */
export interface Blocks {
  readonly steps: StepTable;
  /** Instructions by position. */
  readonly ops: Uint8Array;
  /**
   * At the position of a block, its number. After a fused instruction, its operand, and the number of bytes from its
   * first to its last.
   */
  readonly operands: Uint16Array;
  /**
   * Four numbers for each block: constant gas, the least and the largest number of stack items with which no opcode
   * fails, and the first instruction.
   */
  readonly checks: Int32Array;
  readonly constants: Word[];
}

/** Code to divide, followed by zeros. */
interface PaddedCode {
  /** The code without the zeros. */
  readonly bytes: Uint8Array;
  readonly ops: Uint8Array;
  /** Position of the first instruction. */
  readonly start: number;
  isDestination(position: number): boolean;
}

/** Divides code into blocks; undefined if it cannot be executed by blocks. */
export function blocksOf(code: PaddedCode, steps: StepTable): Blocks | undefined {
  return code.bytes.length > LONGEST ? undefined : new BlockBuilder(code, steps).build();
}

class BlockBuilder {
  private readonly bytes: Uint8Array;
  private readonly ops: Uint8Array;
  private readonly operands: Uint16Array;
  private readonly checks: number[] = [];
  private readonly constants: Word[] = [];

  constructor(
    private readonly code: PaddedCode,
    private readonly steps: StepTable,
  ) {
    this.bytes = code.ops;
    // A jump or an opcode may lead to the zeros after the code, which stop the frame.
    this.ops = code.ops.slice().fill(Fused.STEP, code.bytes.length);
    this.operands = new Uint16Array(code.ops.length);
  }

  build(): Blocks | undefined {
    const end = this.code.bytes.length;
    for (let start = this.code.start; start < end; ) {
      const next = this.addBlock(start, end);
      if (next === undefined) return undefined;
      start = next;
    }
    const { steps, ops, operands, constants } = this;
    return { steps, ops, operands, checks: new Int32Array(this.checks), constants };
  }

  /** Adds the block at a position; returns the position of the next one. */
  private addBlock(start: number, end: number): number | undefined {
    const { steps, ops, operands, checks } = this;
    let cost = 0;
    let items = 0;
    let least = 0;
    let most = STACK_LIMIT;
    let pc = start;
    let isReached = true;
    for (let isInner = true; isInner && pc < end; ) {
      const op = this.bytes[pc]!;
      if (op === Op.JUMPDEST && pc > start) break;
      isInner = INNER[op] === 1;
      const step = steps[op]!;
      const required = step & 0x7ff;
      // These skip a byte, which the search for jump destinations does not (spec/04 §5.2).
      if ((op === Op.DUPN || op === Op.SWAPN) && required <= STACK_LIMIT) return undefined;
      const largest = (step >>> 11) & 0x7ff;
      isReached = LAST[op] === 0 && required <= STACK_LIMIT;
      cost += step >>> 22;
      least = Math.max(least, required - items);
      most = Math.min(most, largest - items);
      items += STACK_LIMIT - largest;
      pc += lengthOf(op);
    }
    this.fuse(start, Math.min(pc, end));
    operands[start] = checks.length / 4;
    checks.push(cost, least, most, ops[start]!);
    ops[start] = ops[start] === Op.JUMPDEST ? Fused.LANDING : Fused.BLOCK;
    while (!isReached && pc < end && !this.code.isDestination(pc)) pc++;
    return pc;
  }

  private fuse(start: number, end: number): void {
    for (let pc = start; pc < end; ) pc += this.fuseAt(pc, end);
  }

  /** Writes the instruction at a position; returns its length. */
  private fuseAt(pc: number, end: number): number {
    const op = this.bytes[pc]!;
    const isInverted = op === Op.ISZERO;
    const start = isInverted ? pc + 1 : pc;
    if (!isPush(this.bytes[start]!) || start >= end) return lengthOf(op);
    const constant = constantAt(this.bytes, start, end);
    // PUSH0 and one more opcode leave no room for operands.
    if (constant.end - pc < 2 || constant.end > end) return lengthOf(op);
    return this.fuseConstant(pc, constant, isInverted);
  }

  private fuseConstant(pc: number, { value, end }: Constant, isInverted: boolean): number {
    const length = end + 1 - pc;
    const small = toClampedNumber(value);
    const next = this.bytes[end]!;
    const isTarget = this.code.isDestination(small);
    if (next === Op.JUMPI && isTarget) {
      return this.write(pc, isInverted ? Fused.JUMP_UNLESS : Fused.JUMP_IF, small, length);
    }
    if (isInverted) return 1;
    if (next === Op.JUMP && isTarget) return this.write(pc, Fused.JUMP_TO, small, length);
    if (next === Op.ADD) return this.write(pc, Fused.ADD_CONSTANT, this.keep(addend(value)), length);
    if (next === Op.SHL && small < 256) return this.write(pc, Fused.SHIFT_LEFT, small, length);
    if (next === Op.SHR && small < 256) return this.write(pc, Fused.SHIFT_RIGHT, small, length);
    if (next === Op.MUL && isPowerOfTwo(value)) return this.write(pc, Fused.SHIFT_LEFT, exponentOf(value), length);
    if (next === Op.SWAP1 && this.bytes[end + 1] === Op.DIV && isPowerOfTwo(value)) {
      return this.write(pc, Fused.SHIFT_RIGHT, exponentOf(value), length + 1);
    }
    if (end - pc <= 2) return end - pc;
    return this.write(pc, Fused.CONSTANT, this.keep(value), end - pc);
  }

  private keep(value: Word): number {
    return this.constants.push(value) - 1;
  }

  private write(pc: number, op: number, operand: number, length: number): number {
    const { ops, operands } = this;
    ops[pc] = op;
    operands[pc + 1] = operand;
    operands[pc + 2] = length - 1;
    return length;
  }
}
