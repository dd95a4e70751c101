import { CambiumError } from "@cambium/primitives";

/** Failures of requests to peers, of the host, and of the operator's configuration. */
export type NetworkingFault =
  /** The answer did not arrive in time; the peer was scored for it. */
  | { code: "REQUEST_TIMEOUT"; protocol: string }
  /** The peer does not have what was requested, or does not support the protocol. */
  | { code: "NOT_AVAILABLE"; protocol: string }
  | { code: "RATE_LIMITED"; protocol: string }
  | { code: "INVALID_REQUEST"; protocol: string; reason: string }
  | { code: "SERVER_ERROR"; protocol: string; reason: string }
  /** The answer violates the protocol; the peer was scored for it. */
  | { code: "INVALID_ANSWER"; protocol: string; reason: string }
  | { code: "DISCONNECTED"; peer: string }
  /** Too many of our own requests are in progress. */
  | { code: "TOO_MANY_REQUESTS"; peer: string }
  | { code: "ABORTED" }
  /** Bytes that do not decode. */
  | { code: "MALFORMED"; what: string; reason: string }
  /** Text that is neither an address nor an address block (`spec/07 §C.4`). */
  | { code: "INVALID_ADDRESS"; text: string; reason: string }
  | { code: "INVALID_OPTION"; option: string; reason: string }
  | { code: "LISTEN_FAILED"; address: string; reason: string }
  | { code: "KEY_FILE"; path: string; reason: string }
  /** A library lacks a private member that a patch needs: `expected` and `found` are `typeof` it. */
  | { code: "LIBRARY_CHANGED"; library: string; version: string; member: string; expected: string; found: string };

export class NetworkingError extends CambiumError<NetworkingFault> {}
