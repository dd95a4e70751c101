import { echo, RpcError } from "@cambium/api";

export function parseError(): RpcError {
  return new RpcError({ code: "PARSE_ERROR", text: "JSON parse error" });
}

/** ethers recognises this wording (`spec/09 §2.1`). `remedy`: what makes it available. */
export function methodNotFound(method: string, remedy?: string): RpcError {
  const text = `the method ${echo(method)} does not exist/is not available`;
  return new RpcError({ code: "METHOD_NOT_FOUND", text: remedy === undefined ? text : `${text}: ${remedy}` });
}

/** The method exists, but not for the API key of the request. */
export function methodNotAllowed(method: string): RpcError {
  const text = `the method ${echo(method)} does not exist/is not available for this API key`;
  return new RpcError({ code: "METHOD_NOT_FOUND", text });
}

/** The chain has failed: blocks that it still has in memory may not be on disk. The log says why. */
export function nodeFailed(): RpcError {
  return new RpcError({ code: "INTERNAL", text: "The node has failed and is stopping" });
}

export function rateLimited(): RpcError {
  return new RpcError({ code: "RATE_LIMITED", text: "too many requests" });
}

/** A thread for heavy work ran out of its heap. */
export function memoryLimitExceeded(): RpcError {
  return new RpcError({ code: "LIMIT_EXCEEDED", text: "Execution exceeded its memory limit" });
}
