import { format } from "node:util";
import {
  type AbiFunction,
  type AbiValue,
  abiFunction,
  decodeArguments,
  fromHex,
  keccak256,
  toChecksumAddress,
  toData,
  toHex,
  utf8,
} from "@cambium/primitives";

/** Address to which the console libraries of Hardhat and Foundry send their output. */
export const CONSOLE_ADDRESS: Uint8Array = fromHex("000000000000000000636f6e736f6c652e6c6f67");

const WORDS = ["uint256", "string", "bool", "address"];
const MAX_VALUES = 4;
const SELECTOR_BYTES = 4;

let functions: ReadonlyMap<string, AbiFunction> | undefined;

/** All forms of `log`, by selector. Old versions of the libraries wrote `uint` and `int` in their selectors. */
function consoleFunctions(): ReadonlyMap<string, AbiFunction> {
  if (functions !== undefined) return functions;
  const known = new Map<string, AbiFunction>();
  const add = (types: readonly string[]) => {
    const definition = abiFunction("log", types, []);
    known.set(definition.selector, definition);
    const old = `log(${types.join(",").replaceAll("int256", "int")})`;
    known.set(toHex(keccak256(utf8(old)).subarray(0, SELECTOR_BYTES)), definition);
  };
  for (const type of ["int256", "bytes", "bytes32"]) add([type]);
  let forms: string[][] = [[]];
  for (let count = 0; count <= MAX_VALUES; count++) {
    for (const types of forms) add(types);
    forms = forms.flatMap((types) => WORDS.map((type) => [...types, type]));
  }
  functions = known;
  return known;
}

/** Returns the text that a call to the console prints; undefined if it is none of its functions. */
export function consoleText(input: Uint8Array): string | undefined {
  const definition = consoleFunctions().get(toHex(input.subarray(0, SELECTOR_BYTES)));
  if (definition === undefined) return undefined;
  try {
    const values = decodeArguments(definition, input);
    const [first, ...rest] = values.map((value, i) => shown(value, definition.inputs[i]!.name));
    // There are at most MAX_VALUES values: each number of them has an overload.
    return format(first, ...rest);
  } catch {
    return undefined;
  }
}

/** A decoded value as text; decoding reads all integers as signed ones. */
function shown(value: AbiValue, type: string): unknown {
  if (typeof value === "bigint") return String(type.startsWith("uint") ? BigInt.asUintN(256, value) : value);
  if (!(value instanceof Uint8Array)) return value;
  return type === "address" ? toChecksumAddress(value) : toData(value);
}
