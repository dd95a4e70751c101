import { CambiumError } from "@cambium/primitives";

/** Why a transaction cannot be in any block; it leaves the state unchanged. */
export type RejectionCode =
  | "INIT_CODE_SIZE"
  | "GAS_LIMIT"
  | "INTRINSIC_GAS"
  | "NONCE"
  | "BALANCE"
  | "ADDRESS_LENGTH"
  | "SIGNATURE"
  | "INTERNAL_ERROR";

/** Kind of failure of the outermost frame, with the names of `test/vectors/state-tests`. */
export type ExceptionKind =
  | "out-of-gas"
  | "invalid-opcode"
  | "bad-jump"
  | "stack-underflow"
  | "stack-overflow"
  | "invalid-gas"
  | "static-violation"
  | "contract-error"
  | "other";

/** Why execution rejects its input; failures inside the virtual machine are outcomes, not errors. */
export interface EvmFault {
  code: RejectionCode;
  reason: string;
}

export class EvmError extends CambiumError<EvmFault> {}

/** A transaction that cannot be part of a valid block (`spec/04 §2.4`). The state is unchanged. */
export class TransactionRejected extends EvmError {}

/** The owner of the machine ended the execution, which therefore has no result. The state is unchanged. */
export class ExecutionInterrupted extends CambiumError<{ code: "INTERRUPTED" }> {}

/**
 * Failure of one frame: it loses all its gas and its changes are dropped (`spec/04`, conventions). The machine's own
 * failures are shared constants, because they are frequent and their stack traces are not needed.
 */
export class FrameFailure extends Error {
  /**
   * `textless` marks the few failures without an error message in the deployed client. At transaction level, no block
   * can contain them (`spec/04 §12`, 30).
   */
  constructor(
    readonly kind: ExceptionKind,
    message: string,
    readonly textless = false,
    /** Whether a native contract failed, with a message of this node's own. */
    readonly isNative = false,
  ) {
    const { stackTraceLimit } = Error;
    // The error never leaves the machine, and a stack trace costs more than most calls.
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
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
export const RETURN_DATA_RANGE = new FrameFailure("other", "return data out of bounds");
/** A native contract failed, or has no output. */
export const NATIVE_FAILURE = new FrameFailure("contract-error", "native contract failed", false, true);
export const OUTPUT_OFFSET = new FrameFailure("other", "output of a native contract out of memory");
export const INIT_CODE_SIZE = new FrameFailure("other", "init code too long");
export const CODE_SIZE = new FrameFailure("other", "code too long");
export const CODE_PREFIX = new FrameFailure("other", "code starts with ef");
/** STATICCALL before RSKIP-103 pops a seventh item from a stack of six. */
export const STACK_EMPTY = new FrameFailure("stack-underflow", "", true);
/** The operand of DUPN or SWAPN is 2^31 or more. */
export const OPERAND_TOO_LARGE = new FrameFailure("other", "", true);
