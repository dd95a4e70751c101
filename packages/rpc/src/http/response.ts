import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { COMPRESSION } from "./compression.js";

/** Names and values of headers in turn, as Node.js writes them without further checks. */
export type HeaderList = readonly string[];

const NO_HEADERS: HeaderList = [];

/** Sends a response without body. */
export function sendEmpty(response: ServerResponse, status: number, headers: HeaderList = NO_HEADERS): void {
  const length = status === 204 ? NO_HEADERS : ["content-length", "0"];
  response.writeHead(status, [...headers, ...length]).end();
}

/** Longer bodies are sent in parts, each of which is encoded when the client has read those before. */
const LONG = 1_048_576;
const PART = 262_144;

export function isLong(body: string): boolean {
  return body.length > LONG;
}

/** Sends a long body in parts, compressed if `coding` says so. Resolves when it is sent or the client has disconnected. */
export async function sendInParts(
  response: ServerResponse,
  status: number,
  headers: HeaderList,
  body: string,
  coding: "gzip" | undefined,
): Promise<void> {
  const source = Readable.from(parts(body));
  const length = coding === undefined ? ["content-length", String(Buffer.byteLength(body))] : NO_HEADERS;
  response.writeHead(status, [...headers, ...length]);
  const sent = coding === undefined ? pipeline(source, response) : pipeline(source, createGzip(COMPRESSION), response);
  // The client has disconnected, which ends the exchange.
  await sent.catch(() => undefined);
}

/** Parts of a text, none of which ends within a character. */
function* parts(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = start + PART;
    const next = isLowSurrogate(text.charCodeAt(end)) ? end + 1 : end;
    yield text.slice(start, next);
    start = next;
  }
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Sends a response with a body. */
export function sendBody(response: ServerResponse, status: number, headers: HeaderList, body: string | Buffer): void {
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, [...headers, "content-length", length]).end(body);
}
