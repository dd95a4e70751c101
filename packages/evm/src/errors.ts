import { CambiumError } from "@cambium/primitives";
import type { ExceptionKind, RejectionCode } from "./interface.js";

/** Why execution refuses its input altogether; failures inside the virtual machine are outcomes, not errors. */
export interface EvmFault {
  code: RejectionCode;
  reason: string;
}

export class EvmError extends CambiumError<EvmFault> {}

/** A transaction that cannot be part of a valid block (`spec/04 §2.4`). The state is as it was before. */
export class TransactionRejected extends EvmError {}

/**
 * Failure of one frame: all its gas is gone and its changes are dropped (`spec/04`, conventions).
 * The machine's own failures are shared constants, because they are thrown often and nobody reads their stack.
 */
export class FrameFailure extends Error {
  /**
   * `textless` marks the few failures without an error text in the deployed client; at transaction level no block can
   * hold them (`spec/04 §12`, 30).
   */
  constructor(
    readonly kind: ExceptionKind,
    message: string,
    readonly textless = false,
  ) {
    super(message);
  }
}

export const OUT_OF_GAS = new FrameFailure("out-of-gas", "out of gas");
export const INVALID_GAS = new FrameFailure("invalid-gas", "gas overflows");
export const INVALID_OPCODE = new FrameFailure("invalid-opcode", "invalid opcode");
export const EMPTY_PROGRAM = new FrameFailure("other", "nothing behind the code header");
export const BAD_JUMP = new FrameFailure("bad-jump", "bad jump destination");
export const STACK_UNDERFLOW = new FrameFailure("stack-underflow", "stack underflow");
export const STACK_OVERFLOW = new FrameFailure("stack-overflow", "stack overflow");
export const STATIC_VIOLATION = new FrameFailure("static-violation", "state change in a static call");
export const RETURN_DATA_RANGE = new FrameFailure("other", "return data out of range");
export const OUTPUT_OFFSET = new FrameFailure("other", "output of a native contract out of memory");
export const INIT_CODE_SIZE = new FrameFailure("other", "init code too long");
export const CODE_SIZE = new FrameFailure("other", "code too long");
export const CODE_PREFIX = new FrameFailure("other", "code starts with ef");
/** A seventh item is popped from a stack of six (STATICCALL before RSKIP-103). */
export const STACK_EMPTY = new FrameFailure("stack-underflow", "", true);
/** Operand of DUPN or SWAPN of 2^31 or more. */
export const OPERAND_TOO_LARGE = new FrameFailure("other", "", true);
