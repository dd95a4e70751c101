import { CambiumError } from "@cambium/primitives";

/** Failures that prevent a server from starting. */
type ServerFault =
  | { code: "INVALID_CONFIGURATION"; option: string; reason: string }
  | { code: "LISTEN_FAILED"; host: string; port: number; reason: string };

/** Reasons why API keys in a Redis server are not changed. */
type KeyFault = { code: "KEY_REFUSED"; reason: string };

/** The error of this package: why a server does not start, or keys are not changed. Clients receive `RpcError`s. */
export class RpcServerError extends CambiumError<ServerFault | KeyFault> {}
