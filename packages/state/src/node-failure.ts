import { DatabaseError } from "@cambium/database";
import { CambiumError } from "@cambium/primitives";
import { TrieError } from "@cambium/trie";
import { StateError } from "./errors.js";

/**
 * Whether an error concerns only this node, which cannot read the state, and not the chain. Contracts that catch every
 * error must not catch it, or the block would seem invalid.
 */
export function isNodeFailure(error: unknown): boolean {
  return (
    error instanceof DatabaseError ||
    error instanceof TrieError ||
    isForkFailure(error) ||
    (error instanceof StateError && error.code === "MALFORMED_ACCOUNT")
  );
}

/** Whether an error means that the source of a fork could not be read: `FORK_SOURCE` of the package `chain`. */
export function isForkFailure(error: unknown): boolean {
  return error instanceof CambiumError && error.code === "FORK_SOURCE";
}
