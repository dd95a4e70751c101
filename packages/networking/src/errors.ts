import { CambiumError } from "@cambium/primitives";

/** What can go wrong between peers, or with what an operator says about them. */
export type NetworkingFault =
  /** A request ran out of time; the peer was scored for it. */
  | { code: "REQUEST_TIMEOUT"; protocol: string }
  /** The peer said so, or does not speak the protocol. */
  | { code: "NOT_AVAILABLE"; protocol: string }
  | { code: "RATE_LIMITED"; protocol: string }
  | { code: "INVALID_REQUEST"; protocol: string; reason: string }
  | { code: "SERVER_ERROR"; protocol: string; reason: string }
  /** The answer breaks the protocol; the peer was scored for it. */
  | { code: "INVALID_ANSWER"; protocol: string; reason: string }
  | { code: "DISCONNECTED"; peer: string }
  /** Too many requests of our own are under way. */
  | { code: "TOO_MANY_REQUESTS"; peer: string }
  | { code: "ABORTED" }
  /** Bytes that are not what they should be. */
  | { code: "MALFORMED"; what: string; reason: string }
  /** Text that is no address and no address block (`spec/07 §C.4`). */
  | { code: "INVALID_ADDRESS"; text: string; reason: string }
  | { code: "INVALID_OPTION"; option: string; reason: string }
  | { code: "LISTEN_FAILED"; address: string; reason: string }
  | { code: "KEY_FILE"; path: string; reason: string };

export class NetworkingError extends CambiumError<NetworkingFault> {}
