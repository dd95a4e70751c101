import { invalidRequest, RpcError, shapeRefusal } from "@cambium/api";
import { parseJson } from "@cambium/primitives";
import type { RpcConfig } from "../config.js";
import { keepExactIds } from "./exact-ids.js";
import { keepExactParams } from "./exact-params.js";
import { parseError } from "./refusals.js";

/** Returns the request or batch in a text, with exact numbers, or the error if it is rejected as a whole. */
export function parseRequest(text: string, config: RpcConfig): object | RpcError {
  const misshapen = shapeRefusal(text, config.maxDepth);
  if (misshapen !== undefined) return misshapen;
  const request = parseJson(text);
  if (request === undefined) return parseError();
  const refusal = refusalOf(request, config);
  if (refusal !== undefined) return refusal;
  keepExactIds(request as object, text);
  keepExactParams(request as object, text);
  return request as object;
}

/** Returns the error for a request or batch that is rejected as a whole. */
export function refusalOf(request: unknown, { maxBatchRequests: limit }: RpcConfig): RpcError | undefined {
  if (typeof request !== "object" || request === null) return invalidRequest();
  if (!Array.isArray(request)) return undefined;
  if (request.length === 0) return invalidRequest();
  return request.length <= limit ? undefined : new BatchTooLong(limit);
}

/**
 * Error for a batch with more requests than the limit. Some clients assume that the answer to a batch is always a list.
 */
export class BatchTooLong extends RpcError {
  constructor(limit: number) {
    const text = `Cannot dispatch batch requests. ${limit} is the max number of supported batch requests`;
    super({ code: "INVALID_REQUEST", text });
  }
}
