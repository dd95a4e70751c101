import type { MessagePort } from "node:worker_threads";
import type { Logger } from "@cambium/primitives";
import type { RateLimitStore } from "../rate-limit/rate-limit-store.js";
import type { Caller, TextAnswer, TextDispatcher } from "../requests/interface.js";
import type { UsageTable } from "../usage/usage-table.js";
import type { FromMain, ToMain } from "./messages.js";

/** Milliseconds between two messages about the usage of API keys. */
const USAGE_INTERVAL = 1_000;

/**
 * A reader thread's view of the main thread, which answers requests that a reader cannot answer, counts requests and
 * logs.
 */
export class MainThread implements TextDispatcher, RateLimitStore {
  readonly logger: Logger;
  /** Unanswered requests and counts, by id. The connections of the thread bound their number. */
  private readonly waiting = new Map<number, (answer: never) => void>();
  private lastId = 0;
  private timer: NodeJS.Timeout | undefined;
  private sendUsage: (() => void) | undefined;

  constructor(
    private readonly port: MessagePort,
    /** Flag of `ReaderThreadData`. */
    logsDebug: Int32Array,
  ) {
    port.on("message", (message: FromMain) => this.receive(message));
    const level = (name: "debug" | "info" | "warn" | "error") => (details: object, message: string) =>
      this.send({ kind: "log", level: name, details, message });
    const debug = level("debug");
    this.logger = {
      // Clients can cause thousands of these lines a second, each of which is a message.
      debug: (details, message) => Atomics.load(logsDebug, 0) === 1 && debug(details, message),
      info: level("info"),
      warn: level("warn"),
      error: level("error"),
    };
  }

  async handleText(text: string, { client, presence }: Caller = {}): Promise<TextAnswer> {
    if ((await presence?.isAwaited?.()) === false) return { status: 204 };
    const id = ++this.lastId;
    const giveUp = () => this.send({ kind: "gone", id });
    presence?.signal.addEventListener("abort", giveUp, { once: true });
    const answer = this.answerTo<TextAnswer>(id);
    this.send({ kind: "request", id, text, client: client && { ...client } });
    return answer.finally(() => presence?.signal.removeEventListener("abort", giveUp));
  }

  add(identity: string, requests: number, window: number): Promise<number> {
    const id = ++this.lastId;
    const sum = this.answerTo<number>(id);
    this.send({ kind: "count", id, identity, requests, window });
    return sum;
  }

  /** Sends new usage of API keys once a second. */
  follow(usage: UsageTable): void {
    const send = () => {
      const rows = usage.take();
      if (rows.length > 0) this.send({ kind: "usage", rows });
    };
    this.sendUsage = send;
    this.timer = setInterval(send, USAGE_INTERVAL).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.sendUsage?.();
    this.port.close();
  }

  private answerTo<T>(id: number): Promise<T> {
    return new Promise((resolve) => this.waiting.set(id, resolve));
  }

  private receive(message: FromMain): void {
    const resolve = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    resolve?.((message.kind === "answer" ? message.answer : message.sum) as never);
  }

  private send(message: ToMain): void {
    this.port.postMessage(message);
  }
}
