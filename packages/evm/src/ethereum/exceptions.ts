import type { ExceptionKind } from "../errors.js";

const KINDS: Readonly<Record<string, ExceptionKind>> = {
  "out of gas": "out-of-gas",
  "invalid opcode": "invalid-opcode",
  "invalid JUMP": "bad-jump",
  "stack underflow": "stack-underflow",
  "stack overflow": "stack-overflow",
  "static state change": "static-violation",
};

/** The kind of an exception of `@ethereumjs/evm` by its text. */
export function exceptionKind(text: string): ExceptionKind {
  return KINDS[text] ?? "other";
}
