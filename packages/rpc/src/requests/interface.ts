import type { Presence, SubscriberConnection } from "@cambium/api";
import type { KeyedClient } from "../keys/keyed-client.js";
import type { RequestAdmission } from "../rate-limit/client-rate-limiter.js";
import type { RpcResponse } from "./responses.js";

/**
 * A response as text. `body` is undefined if the request held only notifications. The status is 400 if the request
 * could not be dispatched, and 429 if the client must wait `retryAfter` milliseconds.
 */
export interface TextAnswer {
  status: 200 | 204 | 400 | 429;
  body?: string;
  retryAfter?: number;
}

/** The client that sent a request. */
export interface Caller {
  /** Connection that receives notifications; undefined over HTTP. */
  connection?: SubscriberConnection;
  /** The client's rate limit. */
  admit?: RequestAdmission;
  presence?: Presence;
  client?: KeyedClient;
}

/** A caller without connection or rate limit. */
export const ANYONE: Caller = {};

export interface TextDispatcher {
  /** Handles the text of a request or batch (`spec/09 §1.5`, `§1.6`, `§2.3`). Never rejects. */
  handleText(text: string, caller?: Caller): Promise<TextAnswer>;
}

export interface Dispatcher extends TextDispatcher {
  /** Handles a request object or batch. Resolves to undefined if it held only notifications. Never rejects. */
  handle(request: unknown): Promise<RpcResponse | RpcResponse[] | undefined>;
}

/** Answers requests that a dispatcher cannot answer: the main thread of a reader, or the writer of a replica. */
export interface OtherDispatcher extends TextDispatcher {
  /** Whether it is another process. Of a batch, it then receives only the requests that need it. */
  readonly isWriter?: boolean;
}

/** Thrown by parts that only the {@link OtherDispatcher} has. */
export const IN_MAIN_THREAD = new Error("only the main thread can answer this request");

/** Returns the requests of a batch, or the only one. */
export function entriesOf(request: unknown): readonly unknown[] {
  return Array.isArray(request) ? request : [request];
}

/** Returns the method that a request names; empty if it names none. */
export function methodOf(request: unknown): string {
  const method = (request as { method?: unknown } | null)?.method;
  return typeof method === "string" ? method : "";
}
