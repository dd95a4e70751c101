/**
 * Codes of the loop besides the opcodes: bytes that no opcode uses. In real code such a byte is undefined and fails.
 * Operands of a fused instruction are at the positions after its first byte, see `Blocks`.
 */
export const Fused = {
  /** Checks, and reports to a tracer, the single opcode at this position. */
  STEP: 0x0c,
  /** Checks stack and gas for all opcodes of a block, then runs its first instruction. */
  BLOCK: 0x0d,
  /** Does the same for a block whose first opcode is JUMPDEST. */
  LANDING: 0x0e,
  /** Pushes a constant: PUSH2 to PUSH32, or several opcodes whose result is constant. */
  CONSTANT: 0x21,
  /** Constant, JUMP. */
  JUMP_TO: 0x22,
  /** Constant, JUMPI. */
  JUMP_IF: 0x23,
  /** ISZERO, constant, JUMPI. */
  JUMP_UNLESS: 0x24,
  /** Constant, ADD. */
  ADD_CONSTANT: 0x25,
  /** Constant, SHL; or a power of two, MUL. */
  SHIFT_LEFT: 0x26,
  /** Constant, SHR; or a power of two, SWAP1, DIV. */
  SHIFT_RIGHT: 0x27,
} as const;
