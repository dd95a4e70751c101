import { CambiumError } from "@cambium/primitives";

/** A trie cannot be read, or a value cannot be stored in one. */
export class TrieError extends CambiumError<
  | { code: "MISSING_NODE"; hash: Uint8Array }
  | { code: "MISSING_VALUE"; hash: Uint8Array }
  | { code: "MALFORMED_NODE"; reason: string }
  | { code: "VALUE_TOO_LONG"; length: number; limit: number }
  /** A received state chunk is invalid. */
  | { code: "INVALID_CHUNK"; reason: string }
> {}

export function malformedNode(reason: string): TrieError {
  return new TrieError({ code: "MALFORMED_NODE", reason });
}
