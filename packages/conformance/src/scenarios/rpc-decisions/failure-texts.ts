/**
 * Failure reasons of `spec/09 §8.2` by the class or text of the reference's exception. Cost and effects of a failure
 * follow from its kind, so the kind is compared, including those of refused code, of failed native contracts and of
 * overflowing gas. The words are the reference's own, with numbers and hashes of its run.
 */
const REASONS: readonly [RegExp, string][] = [
  [/OutOfGas|Not enough gas|Gas value overflow/, "out of gas"],
  [/IllegalOperation|Invalid operation code/, "invalid opcode"],
  [/BadJump|JUMPDEST/, "invalid jump destination"],
  [/StackTooSmall|Expected stack size/, "stack underflow"],
  [/StackTooLarge|elements stack limit/, "stack limit reached 1024 (stack overflow)"],
  [/StaticCallModification|state modifying opcode/, "write protection"],
  [/Maximum (initcode|contract) size|code cannot start with 0xEF/, "contract code rejected"],
  [/Illegal RETURNDATACOPY arguments/, "return data out of bounds"],
  [/PrecompiledContract|VMException|NativeContract|Exception executing/, "precompiled contract failed"],
];

/** Replaces the reference's exception by a reason; other texts are unchanged. */
export function failureReason(text: string): string {
  return REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? text;
}
