import { setTimeout as delay, setImmediate as immediate } from "node:timers/promises";
import type { Presence } from "@cambium/api";
import type { ClientConnection } from "./client-connection.js";

/**
 * Delay in milliseconds before a client receives the refusal of an unread request. It is random: clients that retry
 * immediately are slowed down and spread out.
 */
const REFUSAL_DELAY = { least: 1_000, most: 5_000 };

/** Shared error: the stack trace of a new one costs more than everything else at the end of an exchange. */
const DISCONNECTED = new Error("the client disconnected");

/** The limits' view of a request over HTTP and its response, until the response is sent or the client disconnects. */
export class Exchange implements Presence {
  private unread = 0;
  private unsent = 0;
  private isEnded = false;
  private gone = false;
  /** Created for the few requests that have to wait. */
  private abort: AbortController | undefined;
  /** Called when the response is sent or the client has disconnected. */
  onEnd: (() => void) | undefined;

  constructor(private readonly connection: ClientConnection) {
    connection.begin();
  }

  get isGone(): boolean {
    return this.gone;
  }

  get signal(): AbortSignal {
    this.abort ??= new AbortController();
    if (this.gone) this.abort.abort(DISCONNECTED);
    return this.abort.signal;
  }

  /**
   * Resolves to whether the client still waits for a response. A client may have sent its request and given up while
   * its connection waited to be accepted. Its end is visible only after another round of the event loop.
   */
  async isAwaited(): Promise<boolean> {
    if (!this.connection.isNew) return true;
    this.connection.isNew = false;
    await immediate();
    await immediate();
    return this.connection.socket.writable;
  }

  /** Number of requests in progress on this connection. */
  get requests(): number {
    return this.connection.requests;
  }

  /** Called if this request must make room for others while it is received; if undefined, the connection is closed. */
  set onExceeded(refuse: (() => void) | undefined) {
    this.connection.refuse = refuse;
  }

  /** Counts bytes of the request. False if there is no room for them. */
  holdUnread(bytes: number): boolean {
    if (this.isEnded) return false;
    if (!this.connection.unread.take(bytes)) return false;
    this.unread += bytes;
    return true;
  }

  /** Counts bytes of the response. False if there is no room for them. */
  holdUnsent(bytes: number): boolean {
    // The bytes of a response to a disconnected client would never be returned.
    if (this.isEnded) return false;
    if (!this.connection.unsent.take(bytes)) return false;
    this.unsent += bytes;
    return true;
  }

  /**
   * Resolves when the refusal of this request is due, or the client has disconnected. The connection then makes room
   * first.
   */
  async refuse(): Promise<void> {
    this.connection.isRefused = true;
    this.connection.unread.give(this.unread);
    this.unread = 0;
    const { least, most } = REFUSAL_DELAY;
    await delay(least + Math.random() * (most - least), undefined, { signal: this.signal }).catch(() => undefined);
  }

  /** Ends the exchange: the response is sent, or the client has disconnected. */
  end(isSent: boolean): void {
    this.isEnded = true;
    if (!isSent) {
      this.gone = true;
      this.abort?.abort(DISCONNECTED);
    }
    this.connection.unread.give(this.unread);
    this.connection.unsent.give(this.unsent);
    this.connection.end();
    this.onEnd?.();
  }
}
