/**
 * Events counted for a peer and for its address (`spec/07 §C.1`, `§D.9`). INVALID_MESSAGE is provably wrong.
 * UNREADABLE_MESSAGE cannot be decoded or is too long: an honest node of another client or version may send it.
 */
export const SCORING_EVENTS = [
  "INVALID_BLOCK",
  "VALID_BLOCK",
  "INVALID_TRANSACTION",
  "VALID_TRANSACTION",
  "FAILED_HANDSHAKE",
  "SUCCESSFUL_HANDSHAKE",
  "INVALID_NETWORK",
  "INCOMPATIBLE_PROTOCOL",
  "UNEXPECTED_GENESIS",
  "DISCONNECTION",
  "REPEATED_MESSAGE",
  "INVALID_MESSAGE",
  "UNREADABLE_MESSAGE",
  "UNEXPECTED_MESSAGE",
  "TIMEOUT_MESSAGE",
  "INVALID_HEADER",
] as const;

export type ScoringEvent = (typeof SCORING_EVENTS)[number];
