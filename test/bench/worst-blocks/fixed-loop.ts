import { processorTime } from "./machine.js";

/** Number of rounds of a loop. */
const ROUNDS = 40_000;
const WORD = 256;

/**
 * Returns the processor time in milliseconds of a fixed amount of work of the JavaScript engine alone: in big and small
 * numbers, objects and bytes. In this unit, machines of different speed, and busy ones, give the same results.
 */
export function fixedLoop(): number {
  const start = processorTime();
  const bytes = new Uint8Array(1 << 16);
  const known = new Map<number, { value: bigint }>();
  let word = 1n;
  let number = 1;
  for (let i = 0; i < ROUNDS; i++) {
    word = BigInt.asUintN(WORD, word * word + 0x9e3779b97f4a7c15n);
    number = (Math.imul(number, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[number & 0xffff]! += number >>> 24;
    known.set(number & 0x3fff, { value: word });
  }
  if (known.size === 0 || bytes[0] === undefined) throw new Error("the loop was left out");
  return processorTime() - start;
}
