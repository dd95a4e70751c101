import type { ServerResponse } from "node:http";

/** Names and values of headers in turn, as Node.js writes them without further checks. */
export type HeaderList = readonly string[];

const NO_HEADERS: HeaderList = [];

/** Sends a response without body. */
export function sendEmpty(response: ServerResponse, status: number, headers: HeaderList = NO_HEADERS): void {
  const length = status === 204 ? NO_HEADERS : ["content-length", "0"];
  response.writeHead(status, [...headers, ...length]).end();
}

/** Sends a response with a body. */
export function sendBody(response: ServerResponse, status: number, headers: HeaderList, body: string | Buffer): void {
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, [...headers, "content-length", length]).end(body);
}
