import { CambiumError } from "@cambium/primitives";

/** Failures on the deployed network's wire (`spec/07 §A`). */
export type RlpxFault =
  /** Bytes of a packet, frame or message that do not decode. */
  | { code: "MALFORMED"; what: string; reason: string }
  /** A message of a type that this node does not know, which the version of the capability allows to ignore. */
  | { code: "UNKNOWN_MESSAGE"; type: number }
  /** The handshake failed or did not end in time; `stage` names the awaited step. */
  | { code: "HANDSHAKE_FAILED"; stage: "connect" | "auth" | "ack" | "hello"; reason: string }
  /** The peer has proved that it holds this node's own key. */
  | { code: "OWN_ID" }
  /** The MAC of a frame is wrong, or its size is not allowed. */
  | { code: "INVALID_FRAME"; reason: string }
  /** A message would exceed a limit of the protocol. */
  | { code: "TOO_LARGE"; what: string; bytes: number; limit: number }
  /** Too many requests to the peer are in flight. */
  | { code: "TOO_MANY_REQUESTS" }
  | { code: "ABORTED" }
  | { code: "CLOSED"; reason: string }
  | { code: "LISTEN_FAILED"; address: string; reason: string }
  | { code: "INVALID_OPTION"; option: string; reason: string };

export class RlpxError extends CambiumError<RlpxFault> {}
