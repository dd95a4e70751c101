import type { Socket } from "node:net";
import type { RpcConfig } from "../config.js";
import { ByteBudget, type Share } from "./byte-budget.js";

/** Limits in bytes over all connections of a server. */
export interface Budgets {
  /** Budget of requests that are incomplete or unanswered. */
  unread: ByteBudget;
  /** Budget of responses and notifications that clients have not read yet. */
  unsent: ByteBudget;
}

export function createBudgets({ maxUnreadBytes, maxUnsentBytes }: RpcConfig["connections"]): Budgets {
  // The newest request gives way; among responses, the oldest one, which had most time to be read.
  return { unread: new ByteBudget(maxUnreadBytes, "newest"), unsent: new ByteBudget(maxUnsentBytes, "oldest") };
}

/** The limits' view of a connection. */
export class ClientConnection {
  readonly unread: Share;
  readonly unsent: Share;
  /** Number of requests in progress. */
  requests = 0;
  /** Whether a request was ever received. */
  wasUsed = false;
  /** Whether no request was handled yet. */
  isNew = true;
  /** `performance.now()` when the last request began or ended. */
  lastUsed = performance.now();
  /** Whether the client waits only for the refusal of a request. */
  isRefused = false;
  /** Whether closing the connection now would interrupt something. */
  isInUse = (): boolean => this.requests > 0 && !this.isRefused;
  /** Aborts the request that is being received, to make room for others; by default, the connection is closed. */
  refuse: (() => void) | undefined;
  /** Drops unread responses, to make room for others. */
  drop = (): void => void this.socket.destroy();
  /** Called when nothing was sent or received for a time. */
  onTimeout = (): void => {
    // A request in progress has its own time limit.
    if (this.requests === 0 || this.socket.writableLength > 0) this.socket.destroy();
  };

  constructor(
    readonly socket: Socket,
    /** Address of the client, or its network for IPv6. */
    readonly client: string,
    { unread, unsent }: Budgets,
  ) {
    this.unread = unread.share(client, () => (this.refuse ?? this.drop)());
    this.unsent = unsent.share(client, () => this.drop());
  }

  begin(): void {
    this.requests++;
    this.wasUsed = true;
    this.lastUsed = performance.now();
  }

  end(): void {
    this.requests--;
    this.lastUsed = performance.now();
  }

  /** Returns the bytes that the connection holds of the budgets. */
  release(): void {
    this.unread.end();
    this.unsent.end();
  }
}
