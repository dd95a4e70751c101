import { CambiumError } from "@cambium/primitives";

/** A trie cannot be read, or a value cannot be put into one. */
export class TrieError extends CambiumError<
  | { code: "MISSING_NODE"; hash: Uint8Array }
  | { code: "MISSING_VALUE"; hash: Uint8Array }
  | { code: "MALFORMED_NODE"; reason: string }
  | { code: "VALUE_TOO_LONG"; length: number; limit: number }
  /** A part of a state that came from elsewhere is not what it should be. */
  | { code: "INVALID_CHUNK"; reason: string }
> {}
