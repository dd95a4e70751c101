import { ChainError } from "@cambium/chain";
import { DatabaseError } from "@cambium/database";
import { StateError } from "@cambium/state";
import { withRevertText } from "./calls/simulation-failure.js";
import { hasEthereumReverts } from "./compatibility.js";
import type { MethodParts } from "./definition/method.js";
import {
  databaseFailure,
  forkFailure,
  internalError,
  notStoredHere,
  RpcError,
  unsupported,
  withEthereumCode,
} from "./errors.js";

/**
 * Returns the error of a response to a method that has thrown. `onUnexpected` is called for errors that no method
 * should throw.
 */
export function rpcErrorOf(
  thrown: unknown,
  { config, revertText }: Pick<MethodParts, "config" | "revertText">,
  onUnexpected: () => void,
): RpcError {
  if (thrown instanceof RpcError) {
    const error = revertText === undefined ? thrown : withRevertText(thrown, revertText);
    return hasEthereumReverts(config) ? withEthereumCode(error) : error;
  }
  if (thrown instanceof ChainError && thrown.code === "FORK_SOURCE") return forkFailure(thrown);
  if (thrown instanceof ChainError && thrown.details.code === "BLOCK_PRUNED") {
    return notStoredHere(thrown.details.number, thrown.details.oldest);
  }
  if (thrown instanceof StateError && thrown.details.code === "UNSUPPORTED") return unsupported(thrown.details.what);
  onUnexpected();
  return thrown instanceof DatabaseError ? databaseFailure() : internalError();
}
