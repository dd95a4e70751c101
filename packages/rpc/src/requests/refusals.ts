import { echo, RpcError } from "@cambium/api";

export function parseError(): RpcError {
  return new RpcError({ code: "PARSE_ERROR", text: "JSON parse error" });
}

/**
 * Returns an error with a wording that ethers recognises (`spec/09 §2.1`). `remedy` tells how to make the method
 * available.
 */
export function methodNotFound(method: string, remedy?: string): RpcError {
  const text = `the method ${echo(method)} does not exist/is not available`;
  return new RpcError({ code: "METHOD_NOT_FOUND", text: remedy === undefined ? text : `${text}: ${remedy}` });
}

/** Returns the error for a method that the API key of the request may not use. */
export function methodNotAllowed(method: string): RpcError {
  const text = `the method ${echo(method)} does not exist/is not available for this API key`;
  return new RpcError({ code: "METHOD_NOT_FOUND", text });
}

/** Returns the error for a failed chain: blocks in its memory may not be on disk. The log has the reason. */
export function nodeFailed(): RpcError {
  return new RpcError({ code: "INTERNAL", text: "The node has failed and is stopping" });
}

export function rateLimited(): RpcError {
  return new RpcError({ code: "RATE_LIMITED", text: "too many requests" });
}

/** Returns the error for a thread for heavy work that ran out of its heap. */
export function memoryLimitExceeded(): RpcError {
  return new RpcError({ code: "LIMIT_EXCEEDED", text: "Execution exceeded its memory limit" });
}
