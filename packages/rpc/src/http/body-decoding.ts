import type { IncomingMessage } from "node:http";
import { createGunzip } from "node:zlib";
import type { Exchange } from "../connections/exchange.js";
import { BodyError, readBody } from "./body-reader.js";

/**
 * Reads a body and undoes its `Content-Encoding`, within `maxBytes` before and after it. Rejects with
 * {@link BodyError}, or the error of an aborted request.
 */
export async function readContent(request: IncomingMessage, exchange: Exchange, maxBytes: number): Promise<Buffer> {
  const body = await readBody(request, exchange, maxBytes);
  return isCompressed(request.headers) ? inTurn(() => inflate(body, exchange, maxBytes)) : body;
}

/**
 * Maximum number of bodies that are inflated at a time. Decompression runs in the thread pool that the file system
 * shares, and each output chunk takes a turn of the event loop.
 */
const MAX_INFLATING = 2;

let inflating = 0;
const waiting: (() => void)[] = [];

/**
 * Begins `work` when fewer than {@link MAX_INFLATING} others are in progress. The byte budget limits waiting bodies.
 */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (inflating < MAX_INFLATING) inflating++;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    // The next one takes over the place.
    const next = waiting.shift();
    if (next === undefined) inflating--;
    else next();
  }
}

/** Whether {@link readContent} can undo the coding of a body. */
export function isCodingAccepted(headers: IncomingMessage["headers"]): boolean {
  const coding = headers["content-encoding"];
  return coding === undefined || coding.toLowerCase() === "identity" || isCompressed(headers);
}

function isCompressed({ "content-encoding": coding }: IncomingMessage["headers"]): boolean {
  return coding !== undefined && ["gzip", "x-gzip"].includes(coding.toLowerCase());
}

/** Inflates a body. Takes room for the output as it arrives: a small body may inflate to a thousand times its size. */
function inflate(body: Buffer, exchange: Exchange, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const gunzip = createGunzip();
    const chunks: Buffer[] = [];
    let length = 0;
    const fail = (error: Error) => {
      gunzip.destroy();
      reject(error);
    };
    gunzip.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) fail(new BodyError(413));
      else if (!exchange.holdUnread(chunk.length)) fail(new BodyError(503));
      else chunks.push(chunk);
    });
    gunzip.on("end", () => resolve(Buffer.concat(chunks, length)));
    gunzip.on("error", () => fail(new BodyError(400)));
    gunzip.end(body);
  });
}
