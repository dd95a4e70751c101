import type { IncomingMessage } from "node:http";
import { createGunzip } from "node:zlib";
import type { Exchange } from "../connections/exchange.js";
import { BodyError, readBody } from "./body-reader.js";

/**
 * Reads a body and undoes its `Content-Encoding`, within `maxBytes` before and after it. Rejects with {@link BodyError}, or
 * the error of an aborted request.
 */
export async function readContent(request: IncomingMessage, exchange: Exchange, maxBytes: number): Promise<Buffer> {
  const body = await readBody(request, exchange, maxBytes);
  return isCompressed(request.headers) ? inflate(body, exchange, maxBytes) : body;
}

/** Whether the coding of a body is one that {@link readContent} undoes. */
export function isCodingAccepted(headers: IncomingMessage["headers"]): boolean {
  const coding = headers["content-encoding"];
  return coding === undefined || coding.toLowerCase() === "identity" || isCompressed(headers);
}

function isCompressed({ "content-encoding": coding }: IncomingMessage["headers"]): boolean {
  return coding !== undefined && ["gzip", "x-gzip"].includes(coding.toLowerCase());
}

/** Takes room for what comes out while it does: a small body may inflate to a thousand times its size. */
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
