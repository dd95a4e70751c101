import type { MethodErrorName } from "../errors.js";

/** Errors that every method may return. */
export const ANY_ERRORS: readonly MethodErrorName[] = ["INVALID_PARAMS", "INTERNAL", "RATE_LIMITED", "LIMIT_EXCEEDED"];

/** Errors of a call on the state of a block, and of an estimate. */
export const EXECUTION_ERRORS: readonly MethodErrorName[] = ["STATE_NOT_FOUND", "SERVER_ERROR", "EXECUTION_FAILED"];

/** Errors of the execution of a stored block. */
export const REPLAY_ERRORS: readonly MethodErrorName[] = ["STATE_NOT_FOUND", "SERVER_ERROR"];

/** Errors of a transaction that is submitted. */
export const SENDING_ERRORS: readonly MethodErrorName[] = ["TRANSACTION_REFUSED", "NOT_MINED", "EXECUTION_FAILED"];
