/** Failure reasons of `spec/09 §8.2` by the class or text of the reference's exception. */
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

/** Replaces the reference's exception by a reason; other texts are unchanged. */
export function failureReason(text: string): string {
  return REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? text;
}
