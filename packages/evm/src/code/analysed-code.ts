import { Op, type StepTable } from "../opcodes.js";
import { readWord, type Word } from "../words.js";
import { type Blocks, blocksOf } from "./blocks.js";

/** Bytes appended to the code, so that the longest PUSH and the implicit STOP need no bounds check. */
const PADDING = 34;
/**
 * Opcodes for each byte of the code that are executed one by one before it is divided into blocks. Dividing takes 20 to
 * 190 ns a byte, so that code in a block of transactions cannot make a node divide for longer than 0.1 s.
 */
const OPCODES_PER_BYTE = 16;

/**
 * Code prepared for execution. Jump destinations and long constants are computed on first use and cached with the code.
 */
export class AnalysedCode {
  /** The code followed by zeros (STOP). */
  readonly ops: Uint8Array;
  /** Position of the first instruction: after the header if the code starts with `fc` (`spec/04 §5.3`). */
  readonly start: number;
  private readonly view: DataView;
  private destinations: Uint8Array | undefined;
  private constants: (Word | undefined)[] | undefined;
  private constantPositions: Int32Array | undefined;
  /** Opcodes that were executed one by one since {@link blocks} was last set. */
  executed = 0;
  private blocks: Blocks | undefined;

  constructor(readonly bytes: Uint8Array) {
    const padded = new Uint8Array(bytes.length + PADDING);
    padded.set(bytes);
    this.ops = padded;
    this.view = new DataView(padded.buffer);
    this.start = bytes.length >= 4 && bytes[0] === Op.HEADER ? 4 + bytes[3]! : 0;
  }

  /** The code in blocks, for the rules of a step table. Undefined until enough opcodes were executed one by one. */
  blocksFor(steps: StepTable): Blocks | undefined {
    if (this.blocks?.steps === steps) return this.blocks;
    if (this.executed < this.bytes.length * OPCODES_PER_BYTE) return undefined;
    this.executed = 0;
    this.blocks = blocksOf(this, steps);
    return this.blocks;
  }

  /** Whether `position` is a valid jump destination. */
  isDestination(position: number): boolean {
    const map = (this.destinations ??= findDestinations(this.bytes, this.start));
    return position < map.length && map[position] === 1;
  }

  /** The constant of the PUSH at `position`, of 5 to 32 bytes. */
  constant(position: number, length: number): Word {
    // Two such instructions in sequence are at least six bytes apart. A jump into PUSH operands may collide, so the
    // position is stored and compared.
    const slot = (position / 6) | 0;
    if (this.constants === undefined || this.constantPositions === undefined) {
      const slots = ((this.bytes.length / 6) | 0) + 1;
      this.constants = new Array<Word | undefined>(slots).fill(undefined);
      this.constantPositions = new Int32Array(slots).fill(-1);
    }
    if (this.constantPositions[slot] === position) return this.constants[slot]!;
    const value = this.decode(position + 1, length);
    this.constants[slot] = value;
    this.constantPositions[slot] = position;
    return value;
  }

  private decode(start: number, length: number): Word {
    constantBytes.fill(0);
    constantBytes.set(this.ops.subarray(start, start + length), 32 - length);
    return readWord(constantView, 0);
  }

  /** The operand of the PUSH at `position` as a number, for 1 to 4 bytes. */
  shortConstant(position: number, length: number): number {
    return this.view.getUint32(position + 1) >>> (32 - 8 * length);
  }
}

const constantBytes = new Uint8Array(32);
const constantView = new DataView(constantBytes.buffer);

/**
 * Marks the JUMPDEST bytes outside of PUSH operands (`spec/04 §5.2`). The byte after DUPN and SWAPN is not skipped
 * here.
 */
function findDestinations(code: Uint8Array, start: number): Uint8Array {
  const map = new Uint8Array(code.length);
  for (let i = start; i < code.length; i++) {
    const op = code[i]!;
    if (op === Op.JUMPDEST) map[i] = 1;
    else if (op >= Op.PUSH1 && op <= Op.PUSH32) i += op - Op.PUSH1 + 1;
  }
  return map;
}

/** Analyses by code object. An analysis lives as long as the state caches the object, which bounds their number. */
const analyses = new WeakMap<Uint8Array, AnalysedCode>();

/** The prepared form of `code`, cached by object: the state returns the same object while it caches the code. */
export function analyse(code: Uint8Array): AnalysedCode {
  let analysed = analyses.get(code);
  if (analysed === undefined) analyses.set(code, (analysed = new AnalysedCode(code)));
  return analysed;
}
