import { type NativeContract, NativeMethodUnavailable, TextlessFailure } from "@cambium/state";
import { TrieError } from "@cambium/trie";
import { FrameFailure } from "./errors.js";
import type { ExceptionKind } from "./interface.js";

/** Whether an error says that this node cannot go on, rather than something about the chain. */
export function isNodeFault(error: unknown): boolean {
  return error instanceof NativeMethodUnavailable || error instanceof TrieError;
}

/** The failure that an error of a native contract amounts to. Rethrows faults of the node itself. */
export function nativeFailure(contract: NativeContract, error: unknown, kind: ExceptionKind = "other"): FrameFailure {
  if (isNodeFault(error)) throw error;
  const reason = error instanceof Error ? error.message : String(error);
  return new FrameFailure(kind, `${contract.name}: ${reason}`, error instanceof TextlessFailure);
}
