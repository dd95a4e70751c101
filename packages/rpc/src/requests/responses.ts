import { JsonText, type RpcError, type RpcErrorObject, sizeLimitExceeded } from "@cambium/api";
import { ExactNumber } from "./exact-ids.js";

export type Id = string | number | ExactNumber | null;

export type RpcResponse =
  | { jsonrpc: "2.0"; id: Id; result: unknown }
  | { jsonrpc: "2.0"; id: Id; error: RpcErrorObject };

/** Maximum size of an id in bytes, because it is part of the response. */
const MAX_ID_BYTES = 1_024;

/** Whether a request has a valid id; an undefined id marks a notification. */
export function isId(id: unknown): id is Id | undefined {
  if (id == null || typeof id === "number") return true;
  const text = id instanceof ExactNumber ? id.text : id;
  if (typeof text !== "string") return false;
  return text.length * 3 <= MAX_ID_BYTES || Buffer.byteLength(text) <= MAX_ID_BYTES;
}

export function success(id: Id, result: unknown): RpcResponse {
  return { jsonrpc: "2.0", id, result };
}

export function failure(id: Id, error: RpcError): RpcResponse {
  return { jsonrpc: "2.0", id, error: error.toObject() };
}

/** Serialises responses within a size limit; a response that exceeds it is replaced by an error. */
export class ResponseWriter {
  private written = 0;

  constructor(private readonly limit: number) {}

  write(response: RpcResponse): string {
    const text = responseText(response);
    if (this.limit <= 0 || "error" in response) return text;
    const size = Buffer.byteLength(text);
    if (this.written + size > this.limit) return responseText(failure(response.id, sizeLimitExceeded(this.limit)));
    this.written += size;
    return text;
  }
}

/** Serialises a response. Results and ids that are already JSON text are inserted unchanged. */
export function responseText(response: RpcResponse): string {
  const { id } = response;
  const result = "result" in response ? response.result : undefined;
  const isText = result instanceof JsonText;
  if (!(id instanceof ExactNumber) && !isText) return JSON.stringify(response);
  const idText = id instanceof ExactNumber ? id.text : JSON.stringify(id);
  if (isText) return `{"jsonrpc":"2.0","id":${idText},"result":${result.text}}`;
  const { jsonrpc, id: _, ...rest } = response;
  return `{"jsonrpc":"${jsonrpc}","id":${idText},${JSON.stringify(rest).slice(1)}`;
}

export function withParsedResult<R extends RpcResponse | undefined>(response: R): R {
  if (response === undefined || !("result" in response) || !(response.result instanceof JsonText)) return response;
  return { ...response, result: response.result.toJSON() };
}
