/** What the reference says of a failed execution, by the class or the text of its exception, in the words of `spec/09 §8.2`. */
const REASONS: readonly [RegExp, string][] = [
  [/OutOfGas|Not enough gas/, "out of gas"],
  [/IllegalOperation|Invalid operation code/, "invalid opcode"],
  [/BadJump|JUMPDEST/, "invalid jump destination"],
  [/StackTooSmall/, "stack underflow"],
  [/StackTooLarge/, "stack overflow"],
  [/StaticCallModification|state modifying opcode/, "write protection"],
  [/Maximum (initcode|contract) size|code size|prefix/i, "contract code rejected"],
  [/PrecompiledContract/, "precompiled contract failed"],
];

/** Failures are told by a reason, not by a class of the reference's program; other texts stay. */
export function failureReason(text: string): string {
  return REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? text;
}
