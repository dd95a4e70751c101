import { AbiError, PrimitivesError, RlpError } from "@cambium/primitives";
import { ContractFailure, type NativeContract, StateError, TextlessFailure } from "@cambium/state";
import { FrameFailure } from "./errors.js";

/**
 * The failure that an error of a native contract amounts to. Rethrows what does not come from the call: a method that
 * this node lacks, a damaged database, an error in this program. Such a thing must never look like the chain's history.
 */
export function nativeFailure(contract: NativeContract, error: unknown): FrameFailure {
  if (!isContractFailure(error)) throw error;
  return new FrameFailure("other", `${contract.name}: ${error.message}`, error instanceof TextlessFailure);
}

function isContractFailure(error: unknown): error is Error {
  return (
    error instanceof ContractFailure ||
    error instanceof RlpError ||
    error instanceof PrimitivesError ||
    error instanceof AbiError ||
    isLongCell(error)
  );
}

/** A cell that is read as a word and is none fails the call that reads it. */
export function isLongCell(error: unknown): error is StateError {
  return error instanceof StateError && error.code === "CELL_TOO_LONG";
}
