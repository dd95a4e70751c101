import type { Hex } from "../node/types.js";
import { decodeRevert } from "./decode.js";

/** Why a transaction or call failed. */
export interface Failure {
  /** Reason in words, as far as the error is known. */
  words: string;
  /** Selector and data of an error that the page cannot decode. */
  selector?: string;
  data?: string;
}

const PANIC = "0x4e487b71";
/** Descriptions of the compiler's panics, by code. */
const PANICS: Readonly<Record<string, string>> = {
  "0x01": "an assertion is false",
  "0x11": "arithmetic overflow or underflow",
  "0x12": "division by zero",
  "0x21": "a number is no value of its enumeration",
  "0x22": "storage is not encoded as it should be",
  "0x31": "an element is taken from an empty array",
  "0x32": "an index is out of bounds",
  "0x41": "too much memory is needed",
  "0x51": "an internal function is not initialised",
};

/** Describes a failure. `error` is the interpreter's reason, `output` the output of the failed call. */
export function failureOf(error: string, output: Hex | undefined): Failure {
  if (output === undefined || output.length < 10) return { words: error || "no reason is given" };
  if (output.startsWith(PANIC) && output.length === 74) {
    const code = `0x${BigInt(`0x${output.slice(10)}`)
      .toString(16)
      .padStart(2, "0")}`;
    return { words: `${PANICS[code] ?? "panic"} (panic ${code})` };
  }
  const reason = decodeRevert(output);
  if (reason !== undefined) return { words: reason };
  const data = output.slice(10);
  return { words: "custom error", selector: output.slice(0, 10), ...(data !== "" && { data: `0x${data}` }) };
}
