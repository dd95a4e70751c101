import { type FailedStep, OPCODES } from "@cambium/evm";
import { type Failure, failureReason } from "../calls/simulation-failure.js";
import type { CallNode } from "./frame-tree.js";

/** Names that differ from those of this chain. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [0x20, "KECCAK256"],
  [0xfe, "INVALID"],
]);

/** Texts by message, for failures whose kind does not say enough. */
const OTHER: Readonly<Record<string, string>> = {
  "code too long": "max code size exceeded",
  "init code too long": "max initcode size exceeded",
  "code storage out of gas": "contract creation code storage out of gas",
  "code starts with ef": "invalid code: must not begin with 0xef",
};

const STACK_LIMIT = 1024;

/** Name of an opcode in go-ethereum's traces. */
export function opcodeText({ op, name }: Pick<FailedStep, "op" | "name">): string {
  return NAMES.get(op) ?? name ?? `opcode 0x${op.toString(16)} not defined`;
}

/** Why a call failed or reverted; undefined if it succeeded. */
export function callError({ failure, failedStep, reverted }: CallNode): string | undefined {
  if (failure !== undefined) return failureText(failure, failedStep);
  return reverted ? "execution reverted" : undefined;
}

/** Why a frame failed, in go-ethereum's words where it has the case; `step` is the one that failed it, if any. */
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
