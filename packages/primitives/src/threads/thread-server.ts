import { type MessagePort, parentPort } from "node:worker_threads";
import { measureThread } from "../measurements/thread-measurements.js";
import { type FromThread, plainError, type ThreadMethods, type ToThread } from "./thread-messages.js";

/** Sends events from the thread to its client. */
export interface ThreadEvents<Event> {
  emit(event: Event): void;
  /** Resolves when the client has received everything emitted so far. */
  delivered(): Promise<void>;
}

/** Methods and lifecycle of a thread. */
export interface ThreadService<Methods> {
  methods: Methods;
  /** Called after all pending calls are answered and no more can arrive. */
  close?(): Promise<void>;
}

/**
 * The thread's side of `ThreadClient`: opens its resources, then answers calls until it is closed. If opening throws,
 * the client receives the error and the thread ends.
 */
export async function serveThread<Methods extends ThreadMethods<Methods>, Event = never>(
  open: (events: ThreadEvents<Event>) => ThreadService<Methods> | Promise<ThreadService<Methods>>,
): Promise<void> {
  if (parentPort === null) throw new Error("not in a worker thread");
  const port = parentPort;
  measureThread();
  const send = (message: FromThread) => port.postMessage(message);
  const deliveries = new Map<number, () => void>();
  let lastDelivery = 0;
  const events: ThreadEvents<Event> = {
    emit: (event) => send({ kind: "event", event }),
    delivered: () =>
      new Promise((resolve) => {
        deliveries.set(++lastDelivery, resolve);
        send({ kind: "deliver", id: lastDelivery });
      }),
  };
  try {
    new ThreadServer(port, await open(events), deliveries);
    send({ kind: "ready" });
  } catch (error) {
    send({ kind: "refused", error: plainError(error) });
  }
}

class ThreadServer<Methods extends ThreadMethods<Methods>> {
  private readonly inProgress = new Set<Promise<void>>();

  constructor(
    private readonly port: MessagePort,
    private readonly service: ThreadService<Methods>,
    /** Resolvers of pending `delivered` calls. */
    private readonly deliveries: Map<number, () => void>,
  ) {
    // Earlier messages are delivered from this point on.
    port.on("message", (message: ToThread) => {
      if (message.kind === "close") void this.close();
      else if (message.kind === "delivered") this.deliver(message.id);
      else this.track(this.answer(message));
    });
  }

  private deliver(id: number): void {
    this.deliveries.get(id)?.();
    this.deliveries.delete(id);
  }

  private track(work: Promise<void>): void {
    this.inProgress.add(work);
    void work.finally(() => this.inProgress.delete(work));
  }

  /** Answers a call. Never rejects. */
  private async answer({ id, name, argument }: Extract<ToThread, { kind: "call" }>): Promise<void> {
    const { methods } = this.service;
    try {
      const value: unknown = await methods[name as keyof Methods](argument as never);
      this.send({ kind: "answer", id, value });
    } catch (error) {
      this.fail(id, error);
    }
  }

  private fail(id: number, error: unknown): void {
    const plain = plainError(error);
    try {
      this.send({ kind: "failed", id, error: plain });
    } catch {
      // The details cannot be cloned.
      this.send({ kind: "failed", id, error: { ...plain, details: undefined } });
    }
  }

  private async close(): Promise<void> {
    while (this.inProgress.size > 0) await Promise.all(this.inProgress);
    await this.service.close?.();
    this.port.close();
  }

  private send(message: FromThread): void {
    this.port.postMessage(message);
  }
}
