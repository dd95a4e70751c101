import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { Transform } from "node:stream";
import { createGzip } from "node:zlib";
import type { ClientConnection } from "../connections/client-connection.js";
import { Exchange } from "../connections/exchange.js";
import { COMPRESSION } from "./compression.js";
import { headersTimeout, type TimeLimits } from "./listener.js";
import type { PlainHead, RequestHeads } from "./request-heads.js";
import { contentLength, type HeaderList, type Reply, sendParts } from "./response.js";

/** Objects that all direct connections of a server share. */
export interface DirectServer {
  heads: RequestHeads;
  limits: TimeLimits;
  /** Answers a plain request. Never throws. */
  answer(head: PlainHead, body: Buffer, connection: DirectConnection, exchange: Exchange): void;
  /** Called when the connection is closed, or left to Node.js. */
  left(connection: DirectConnection): void;
}

const LINE_END = "\r\n";
const TIMED_OUT = "HTTP/1.1 408 Request Timeout\r\nconnection: close\r\n\r\n";
const CHUNKED: HeaderList = ["transfer-encoding", "chunked"];

/**
 * A connection with only plain requests so far, and the reply to the one in progress. Only one is in progress at a
 * time.
 */
export class DirectConnection implements Reply {
  /** Exchange of the request in progress. */
  private exchange: Exchange | undefined;
  private isLast = false;
  /** Whether a further request arrived before the response was sent. */
  private hasMore = false;

  constructor(
    readonly socket: Socket,
    private readonly entry: ClientConnection,
    private readonly server: DirectServer,
  ) {
    socket.on("data", this.receive).on("end", this.end).on("close", this.close);
    socket.on("timeout", this.timeout).on("error", ignore);
    socket.setTimeout(headersTimeout(server.limits));
  }

  send(status: number, headers: HeaderList, body?: string | Buffer): void {
    const { socket } = this;
    if (!socket.writable) return;
    const head = this.head(status, [...headers, ...contentLength(body, status)]);
    if (typeof body === "object") socket.write(Buffer.concat([Buffer.from(head, "latin1"), body]));
    else socket.write(head + (body ?? ""));
    if (socket.writableLength === 0) this.sent();
    else this.sendRest();
  }

  async sendInParts(status: number, headers: HeaderList, body: string, coding: "gzip" | undefined): Promise<void> {
    const { socket } = this;
    if (!socket.writable) return;
    socket.setTimeout(this.server.limits.writeTimeout);
    socket.write(this.head(status, [...headers, ...(coding ? CHUNKED : contentLength(body))]));
    await sendParts(body, coding ? [createGzip(COMPRESSION), inChunks()] : [], socket, false);
    if (!socket.destroyed) this.sendRest();
  }

  /** Closes the connection now, or after the response to the request in progress. */
  closeWhenIdle(): void {
    this.isLast = true;
    if (this.exchange === undefined) this.socket.destroy();
  }

  private readonly receive = (chunk: Buffer): void => {
    const { heads, limits, answer } = this.server;
    if (this.exchange !== undefined) {
      this.hasMore = true;
      this.socket.pause();
      this.socket.unshift(chunk);
      return;
    }
    const head = heads.of(chunk);
    const exchange = head && new Exchange(this.entry);
    if (!exchange?.holdUnread(head!.length - head!.headLength)) {
      exchange?.end(true);
      this.leave(chunk);
      return;
    }
    if (this.socket.timeout !== limits.keepAliveTimeout) this.socket.setTimeout(limits.keepAliveTimeout);
    this.exchange = exchange;
    answer(head!, chunk.subarray(head!.headLength), this, exchange);
  };

  /** Returns the head of a response in the form that Node.js would send. */
  private head(status: number, headers: HeaderList): string {
    if (headers.includes("connection")) this.isLast = true;
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    for (let i = 0; i < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`;
    text += `Date: ${currentDate()}\r\n`;
    if (this.isLast) return text + LINE_END;
    const seconds = Math.floor(this.server.limits.keepAliveTimeout / 1000);
    return `${text}Connection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n\r\n`;
  }

  /** Waits until the client has received the rest. */
  private sendRest(): void {
    this.socket.setTimeout(this.server.limits.writeTimeout);
    this.socket.write("", (error) => {
      if (!error) this.sent();
    });
  }

  private sent(): void {
    this.exchange?.end(true);
    this.exchange = undefined;
    if (this.isLast) this.socket.destroySoon();
    else if (this.hasMore) this.leave();
  }

  /** Leaves the connection to Node.js, with a chunk that is not a plain request. */
  private leave(chunk?: Buffer): void {
    const { socket } = this;
    socket.off("data", this.receive).off("end", this.end).off("close", this.close);
    socket.off("timeout", this.timeout).off("error", ignore);
    socket.pause();
    if (chunk !== undefined) socket.unshift(chunk);
    this.server.left(this);
    socket.resume();
  }

  /** Treats a half-closed connection as abandoned, like Node.js. */
  private readonly end = (): void => void this.socket.end();

  private readonly close = (): void => {
    this.exchange?.end(false);
    this.exchange = undefined;
    this.server.left(this);
  };

  private readonly timeout = (): void => {
    if (this.entry.wasUsed) this.entry.onTimeout();
    else this.socket.end(TIMED_OUT);
  };
}

/** Returns a stream that frames its input as the chunked transfer coding (RFC 9112, section 7.1). */
function inChunks(): Transform {
  return new Transform({
    transform(chunk: Buffer, _, done) {
      this.push(`${chunk.length.toString(16)}${LINE_END}`);
      this.push(chunk);
      done(null, LINE_END);
    },
    flush: (done) => done(null, `0${LINE_END}${LINE_END}`),
  });
}

/** The date of all responses within a second. */
let date = { second: 0, text: "" };

function currentDate(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== date.second) date = { second, text: new Date().toUTCString() };
  return date.text;
}

/** The close of the socket follows an error, and is handled. */
function ignore(): void {}
