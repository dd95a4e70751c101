import { type FailedStep, OPCODES } from "@cambium/evm";
import { bytesToBigint, toHex } from "@cambium/primitives";
import { type Failure, failureReason, revertReason } from "../../calls/simulation-failure.js";
import type { CallNode } from "./frame-tree.js";

/** Names that differ from those of this chain. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [0x20, "KECCAK256"],
  [0xfe, "INVALID"],
]);

/** Texts by message, for failures whose kind is too general. */
const OTHER: Readonly<Record<string, string>> = {
  "code too long": "max code size exceeded",
  "init code too long": "max initcode size exceeded",
  "code storage out of gas": "contract creation code storage out of gas",
  "code starts with ef": "invalid code: must not begin with 0xef",
};

const STACK_LIMIT = 1024;

/** Selector of `Panic(uint256)`. */
const PANIC = "4e487b71";
const PANICS: Readonly<Record<string, string>> = {
  "0": "generic panic",
  "1": "assert(false)",
  "11": "arithmetic underflow or overflow",
  "12": "division or modulo by zero",
  "21": "enum overflow",
  "22": "invalid encoded storage byte array accessed",
  "31": "out-of-bounds array access; popping on an empty array",
  "32": "out-of-bounds access of an array or bytesN",
  "41": "out of memory",
  "51": "uninitialized function",
};

/** Name of an opcode in go-ethereum's traces. */
export function opcodeText({ op, name }: Pick<FailedStep, "op" | "name">): string {
  return NAMES.get(op) ?? name ?? `opcode 0x${op.toString(16)} not defined`;
}

/** Why a call failed or reverted; undefined if it succeeded. */
export function callError({ failure, failedStep, reverted }: CallNode): string | undefined {
  if (failure !== undefined) return failureText(failure, failedStep);
  return reverted ? "execution reverted" : undefined;
}

/** The reason in the output of a revert: `Error(string)` or `Panic(uint256)`; undefined for any other output. */
export function revertText(output: Uint8Array): string | undefined {
  if (output.length < 36 || toHex(output.subarray(0, 4)) !== PANIC) return revertReason(output);
  const code = bytesToBigint(output.subarray(4, 36)).toString(16);
  return PANICS[code] ?? `unknown panic code: 0x${code}`;
}

/**
 * Returns the reason of a failed frame, in go-ethereum's words where it has the case. `step` is the step that failed
 * the frame, if any.
 */
export function failureText(failure: Failure, step?: FailedStep): string {
  const { kind, message } = failure;
  const info = step && OPCODES.get(step.op);
  if (kind === "invalid-gas") return "gas uint64 overflow";
  if (kind === "invalid-opcode" && step !== undefined) return `invalid opcode: ${opcodeText(step)}`;
  if (kind === "stack-underflow" && info !== undefined) {
    return `stack underflow (${step!.stackSize} <=> ${info.pops})`;
  }
  if (kind === "stack-overflow" && info !== undefined) {
    return `stack limit reached ${step!.stackSize} (${STACK_LIMIT + info.pops - info.pushes})`;
  }
  return OTHER[message] ?? failureReason(failure);
}
