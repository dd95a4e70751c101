import {
  type AbiValue,
  abiFunction,
  concatBytes,
  encodeValues,
  fromHex,
  leftPad,
  numberToBytes,
  utf8,
} from "@cambium/primitives";
import type { Program } from "./program.js";

const WORD = 32;
/**
 * Lengths of call data that decode to much or fail late: one that little gas buys, and one for half of a block's gas.
 */
const LENGTHS = [65_536, 1_060_000];
/** An offset beyond all call data. */
const NOWHERE = 0x7fffffff;

/** Returns a program that calls a contract with data, followed by zeros or copies of the data up to `size` bytes. */
export function caller(
  to: number,
  data: Uint8Array,
  { size = data.length, isFilled = false, fillFrom = 0, gas = "GAS" } = {},
): Program {
  const copies = size > 10_000 ? 4 : 16;
  return { data, memory: size, isFilled, fillFrom, body: `0 0 ${size} 0 0 ${to} ${gas} CALL POP`, copies };
}

/** A method: its name and the types of its arguments. */
export type Method = readonly [name: string, ...inputs: string[]];

export function selectorOf([name, ...inputs]: Method): Uint8Array {
  return fromHex(abiFunction(name, inputs, []).selector);
}

export function encodeCall(method: Method, ...args: readonly AbiValue[]): Uint8Array {
  const [name, ...inputs] = method;
  return concatBytes(selectorOf(method), encodeValues(abiFunction(name, inputs, []).inputs, args));
}

/** A call with plausible arguments. */
export function plainCall(method: Method): Uint8Array {
  const [, ...inputs] = method;
  return encodeCall(method, ...inputs.map(plainArgument));
}

function plainArgument(type: string): AbiValue {
  if (type.endsWith("[]")) return Array.from({ length: 15 }, () => plainArgument(type.slice(0, -2)));
  if (type === "bytes") return new Uint8Array(80).fill(0x11);
  if (type === "string") return "1".repeat(64);
  if (type === "bool") return true;
  if (type === "address") return new Uint8Array(20).fill(7);
  return type.startsWith("bytes") ? new Uint8Array(WORD).fill(7) : 1n;
}

/** Amounts of gas that calls with long arguments pass: all of it, or too little for their contract. */
const PASSED_GAS = ["GAS", "1"];

/** Calls of a method whose dynamic arguments all have the same long content, decodable or not. */
export function longCalls(to: number, method: Method): Program[] {
  const [, ...inputs] = method;
  const dynamic = inputs.filter((type) => isDynamic(type));
  if (dynamic.length === 0) return [];
  return LENGTHS.flatMap((size) => {
    const room = size - 4 - WORD * (inputs.length + 1);
    const lengths = dynamic[0]!.endsWith("[]") ? [Math.floor(room / WORD), Math.ceil(room / WORD) + 1] : [room];
    return lengths.flatMap((length) =>
      [false, true].flatMap((isLastMissing) => {
        const data = concatBytes(headOf(method, length, isLastMissing), new Uint8Array(1_024).fill(0xff));
        return PASSED_GAS.flatMap((gas) => [
          caller(to, data.slice(0, -1_024), { size, gas }),
          caller(to, data, { size, isFilled: true, gas }),
        ]);
      }),
    );
  });
}

/** Returns a call of a method whose only dynamic argument comes first, and is text of one repeated character. */
export function textCall(to: number, method: Method, character: string, size: number): Program {
  const [, ...inputs] = method;
  const head = headOf(method, size - 4 - WORD * (inputs.length + 1), false);
  const data = concatBytes(head, utf8(character.repeat(1_024)));
  return caller(to, data, { size, isFilled: true, fillFrom: head.length });
}

/**
 * Returns selector, heads, and the length to which the offsets of all dynamic arguments point, except possibly that of
 * the last one.
 */
function headOf(method: Method, length: number, isLastMissing: boolean): Uint8Array {
  const [, ...inputs] = method;
  const last = inputs.findLastIndex(isDynamic);
  const words = inputs.map((type, i) => {
    if (!isDynamic(type)) return 1;
    return isLastMissing && i === last ? NOWHERE : WORD * inputs.length;
  });
  return concatBytes(selectorOf(method), ...[...words, length].map((value) => leftPad(numberToBytes(value), WORD)));
}

function isDynamic(type: string): boolean {
  return type === "bytes" || type === "string" || type.endsWith("[]");
}
