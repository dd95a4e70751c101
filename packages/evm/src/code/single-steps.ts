import type { Blocks } from "./blocks.js";
import { Fused } from "./fused.js";

let steps = withoutBlocks(0x8000);

function withoutBlocks(length: number): Omit<Blocks, "steps"> {
  return {
    ops: new Uint8Array(length).fill(Fused.STEP),
    operands: new Uint16Array(0),
    checks: new Int32Array(0),
    constants: [],
  };
}

/** Stands for the blocks of code that runs opcode by opcode, of at least `length` bytes. The same for all codes. */
export function singleSteps(length: number): Omit<Blocks, "steps"> {
  if (length > steps.ops.length) steps = withoutBlocks(2 * length);
  return steps;
}
