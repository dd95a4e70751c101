import type { ServerResponse } from "node:http";
import { type Duplex, Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { COMPRESSION } from "./compression.js";

/** Names and values of headers, alternating, as Node.js writes them without further checks. */
export type HeaderList = readonly string[];

const NO_HEADERS: HeaderList = [];

/** Sends the response to one request. */
export interface Reply {
  /** Sends a response with a body, or without one. */
  send(status: number, headers: HeaderList, body?: string | Buffer): void;
  /**
   * Sends a long body in parts, compressed if `coding` says so. Resolves when it is sent or the client has
   * disconnected.
   */
  sendInParts(status: number, headers: HeaderList, body: string, coding: "gzip" | undefined): Promise<void>;
}

/** Replies by Node.js's server. */
export class ServerReply implements Reply {
  constructor(private readonly response: ServerResponse) {}

  send(status: number, headers: HeaderList, body?: string | Buffer): void {
    if (body === undefined) sendEmpty(this.response, status, headers);
    else sendBody(this.response, status, headers, body);
  }

  async sendInParts(status: number, headers: HeaderList, body: string, coding: "gzip" | undefined): Promise<void> {
    this.response.writeHead(status, [...headers, ...(coding ? NO_HEADERS : contentLength(body))]);
    await sendParts(body, coding ? [createGzip(COMPRESSION)] : [], this.response);
  }
}

/** Sends a long body to a stream. Resolves when it is sent or the client has disconnected. */
export async function sendParts(body: string, codings: readonly Duplex[], to: Writable, end = true): Promise<void> {
  // The client has disconnected, which ends the exchange.
  await pipeline([Readable.from(parts(body)), ...codings, to], { end }).catch(() => undefined);
}

/** Returns the header with the length of a body; none for responses that never have a body. */
export function contentLength(body: string | Buffer | undefined, status?: number): HeaderList {
  return status === 204 ? NO_HEADERS : ["content-length", String(Buffer.byteLength(body ?? ""))];
}

/** Sends a response without body. */
export function sendEmpty(response: ServerResponse, status: number, headers: HeaderList = NO_HEADERS): void {
  response.writeHead(status, [...headers, ...contentLength(undefined, status)]).end();
}

/** Length above which bodies are sent in parts. Each part is encoded when the client has read the previous ones. */
const LONG = 1_048_576;
const PART = 262_144;

export function isLong(body: string): boolean {
  return body.length > LONG;
}

/** Yields parts of a text, none of which ends within a character. */
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
  response.writeHead(status, [...headers, ...contentLength(body)]).end(body);
}
