import type { MessagePort } from "node:worker_threads";
import { presenceBy } from "@cambium/api";
import type { Logger } from "@cambium/primitives";
import type { ClientRateLimiter } from "../rate-limit/client-rate-limiter.js";
import type { TextDispatcher } from "../requests/interface.js";
import type { UsageCounter } from "../usage/usage-table.js";
import type { FromMain, ToMain } from "./messages.js";

/** Parts that serve the requests of readers in the main thread. */
export interface RequestServing {
  dispatcher: TextDispatcher;
  limiter: ClientRateLimiter;
  usage: UsageCounter;
  logger: Logger;
}

/** Serves the requests of one reader, which it sends over `port`, until the port is closed. */
export function serveReader(port: MessagePort, { dispatcher, limiter, usage, logger }: RequestServing): void {
  /** Requests in progress, by id. */
  const inProgress = new Map<number, AbortController>();
  const send = (message: FromMain) => port.postMessage(message);

  async function answer({ id, text, client }: Extract<ToMain, { kind: "request" }>): Promise<void> {
    const gone = new AbortController();
    inProgress.set(id, gone);
    const given = await dispatcher.handleText(text, { client, presence: presenceBy(gone.signal) });
    inProgress.delete(id);
    send({ kind: "answer", id, answer: given });
  }

  async function count({ id, identity, requests, window }: Extract<ToMain, { kind: "count" }>): Promise<void> {
    send({ kind: "counted", id, sum: await limiter.add(identity, requests, window) });
  }

  port.on("message", (message: ToMain) => {
    if (message.kind === "request") void answer(message);
    else if (message.kind === "gone") inProgress.get(message.id)?.abort();
    else if (message.kind === "count") void count(message);
    else if (message.kind === "usage") for (const row of message.rows) usage.add(row);
    else logger[message.level](message.details, message.message);
  });
  // Closed by a reader that has failed.
  port.on("close", () => {
    for (const gone of inProgress.values()) gone.abort();
  });
}
