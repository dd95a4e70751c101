import { AbiError, PrimitivesError, RlpError } from "@cambium/primitives";
import { ContractFailure, type NativeContract, StateError, TextlessFailure } from "@cambium/state";
import { FrameFailure } from "../errors.js";

/**
 * Converts an error of a native contract to a frame failure. Rethrows errors not caused by the call, such as a missing
 * method, a damaged database or a bug of this node: they must never become part of the chain's history.
 */
export function nativeFailure(contract: Pick<NativeContract, "name">, error: unknown): FrameFailure {
  if (!isContractFailure(error)) throw error;
  return new FrameFailure("other", `${contract.name}: ${error.message}`, error instanceof TextlessFailure, true);
}

/** Whether an error is caused by the call, not by this node. */
export function isContractFailure(error: unknown): error is Error {
  return (
    error instanceof ContractFailure ||
    error instanceof RlpError ||
    error instanceof PrimitivesError ||
    error instanceof AbiError ||
    isLongCell(error)
  );
}

/** Reading a cell longer than a word as a word fails the call that reads it. */
export function isLongCell(error: unknown): error is StateError {
  return error instanceof StateError && error.code === "CELL_TOO_LONG";
}
