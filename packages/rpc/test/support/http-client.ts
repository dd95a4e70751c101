import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http";
import type { Json } from "./service.js";

export interface HttpRequest {
  port: number;
  method?: string;
  path?: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Uint8Array;
}

export interface HttpResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The body as JSON; undefined if it is empty. */
  json: Json;
}

/** Sends one request over a real socket with exactly the given headers. */
export function send({ port, method = "POST", path = "/", headers = {}, body }: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: "127.0.0.1", port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const bytes = Buffer.concat(chunks);
        const isJson = response.headers["content-type"]?.startsWith("application/json") === true;
        const isText = isJson && bytes.length > 0 && response.headers["content-encoding"] === undefined;
        const json = isText ? JSON.parse(bytes.toString()) : undefined;
        resolve({ status: response.statusCode!, headers: response.headers, body: bytes, json });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

export const JSON_HEADERS = { "content-type": "application/json" };

/** Posts a JSON value. */
export function post(port: number, value: unknown, headers: OutgoingHttpHeaders = {}): Promise<HttpResponse> {
  return send({ port, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(value) });
}
