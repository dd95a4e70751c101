import { concatBytes } from "@cambium/primitives";
import { assemble, push, pushPosition } from "./assembler.js";

/** A program that repeats its body until the gas is used up. */
export interface Program {
  /** Assembler text that is executed once; the words that it leaves on the stack stay there. */
  before?: string;
  /** Data that is copied to the start of the memory. */
  data?: Uint8Array;
  /** Size to which the memory is grown, in bytes. */
  memory?: number;
  /** Whether all of the memory after the data is filled with copies of them, or of a part that begins at `fillFrom`. */
  isFilled?: boolean;
  fillFrom?: number;
  /** Assembler text, which leaves the stack unchanged. */
  body: string;
  /** Number of copies of the body between two jumps. */
  copies?: number;
  /**
   * Gas at which the program stops, so that its changes persist. By default it runs out of gas, and they are reverted.
   */
  reserve?: number;
  /** Whether the copies of the body are executed only once. */
  isOnce?: boolean;
}

/**
 * Code that copies {@link Program.data} to the start of the memory, once their length and position in the code are
 * pushed.
 */
const COPY = assemble("0 CODECOPY");

/** Byte code of a program, for a contract or as init code. */
export function compile({
  before = "",
  data,
  memory,
  isFilled,
  fillFrom = 0,
  body,
  copies = 1,
  reserve,
  isOnce,
}: Program): Uint8Array {
  const prologue = concatBytes(
    memory === undefined ? new Uint8Array(0) : assemble(`${Math.max(0, memory - 32)} MLOAD POP`),
    isFilled === true && data !== undefined && memory !== undefined
      ? fill(fillFrom, data.length, memory)
      : new Uint8Array(0),
    assemble(before),
  );
  const repeated = concatBytes(...Array.from({ length: copies }, () => assemble(body)));
  const copySize = data === undefined ? 0 : 2 * pushPosition(0).length + COPY.length;
  const start = copySize + prologue.length;
  const end = reserve === undefined ? assemble("JUMP") : assemble("JUMPI STOP");
  const condition = reserve === undefined ? new Uint8Array(0) : concatBytes(push(reserve), assemble("GAS GT"));
  const loop = isOnce
    ? concatBytes(repeated, assemble("STOP"))
    : concatBytes(assemble("JUMPDEST"), repeated, condition, pushPosition(start), end);
  if (data === undefined) return concatBytes(prologue, loop);
  const code = start + loop.length;
  return concatBytes(pushPosition(data.length), pushPosition(code), COPY, prologue, loop, data);
}

/** Returns code that doubles the content of the memory between two positions until it is full. */
function fill(from: number, to: number, memory: number): Uint8Array {
  let text = "";
  for (let filled = to; filled < memory; filled += filled - from) {
    text += ` ${Math.min(filled - from, memory - filled)} ${from} ${filled} MCOPY`;
  }
  return assemble(text);
}
