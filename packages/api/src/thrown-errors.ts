import { ChainError } from "@cambium/chain";
import { DatabaseError } from "@cambium/database";
import { StateError } from "@cambium/state";
import { hasEthereumReverts } from "./compatibility.js";
import type { ApiConfig } from "./config.js";
import { databaseFailure, forkFailure, internalError, RpcError, unsupported, withEthereumCode } from "./errors.js";

/** The error of a response to a method that has thrown. `onUnexpected` is called for what no method should throw. */
export function rpcErrorOf(thrown: unknown, config: ApiConfig, onUnexpected: () => void): RpcError {
  if (thrown instanceof RpcError) return hasEthereumReverts(config) ? withEthereumCode(thrown) : thrown;
  if (thrown instanceof ChainError && thrown.code === "FORK_SOURCE") return forkFailure(thrown);
  if (thrown instanceof StateError && thrown.details.code === "UNSUPPORTED") return unsupported(thrown.details.what);
  onUnexpected();
  return thrown instanceof DatabaseError ? databaseFailure() : internalError();
}
