import { randomInt } from "node:crypto";
import { MessageChannel } from "node:worker_threads";
import type { NewsSources } from "@cambium/api";
import { plainChainEvent } from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import { DatabaseError } from "@cambium/database";
import { type Logger, ThreadClient, ThreadError, threadEntry } from "@cambium/primitives";
import { packKnownSenders, type Transaction } from "@cambium/types";
import type { RpcConfig, ServingChanges } from "../config.js";
import { SharedCounts, sharedCountsMemory } from "../connections/connection-counts.js";
import { RpcServerError } from "../errors.js";
import type { ListeningAddress } from "../http/listener.js";
import type { OpenListener, PlainTransactions, ReaderMethods, ReaderThreadData } from "./messages.js";
import { type RequestServing, serveReader } from "./reader-requests.js";

const THREAD_ENTRY = threadEntry("./reader-thread.js", import.meta.url);
/** Maximum number of announcements that a thread has not received. Beyond it, the thread is replaced. */
const MAX_IN_FLIGHT = 10_000;
/** Milliseconds until a failed thread is replaced. */
const RESTART_DELAY = 1_000;

export interface ReaderPoolOptions {
  network: NetworkConfig;
  /** Directory of the chain's database. */
  location: string;
  config: RpcConfig;
  clientVersion: string;
  /** Whether the methods are those of a replica. */
  isReplica: boolean;
}

interface Reader {
  client: ThreadClient<ReaderMethods>;
  /** The open listener; undefined until the thread listens. */
  listener: OpenListener | undefined;
}

/**
 * Threads that serve the HTTP listener. Each accepts connections from the same socket and itself reads the chain.
 * Requests that need other parts of the node go to the main thread.
 */
export class ReaderPool {
  private readonly readers = new Map<number, Reader>();
  private readonly counts;
  private readonly logsDebug = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly stops: (() => void)[] = [];
  private address: ListeningAddress | undefined;
  private isClosing = false;

  /** `options.config` has the limits on bytes of one thread. */
  constructor(
    private readonly options: ReaderPoolOptions,
    private readonly sources: NewsSources,
    private readonly serving: RequestServing,
  ) {
    this.counts = sharedCountsMemory(options.config.readers, randomInt(2 ** 31));
    this.logLevelsChanged();
    this.follow();
  }

  /** Applies a change of log levels: readers send lines of the level debug only if they are logged. */
  logLevelsChanged(): void {
    Atomics.store(this.logsDebug, 0, (this.logger.isLevelEnabled?.("debug") ?? true) ? 1 : 0);
  }

  /** Applies a change of the configuration, also for threads that start later. */
  changed(changes: ServingChanges): void {
    this.announce("change", changes);
  }

  /** Starts the threads. Rejects with {@link RpcServerError} `LISTEN_FAILED` if the address cannot be bound. */
  async listen(): Promise<ListeningAddress> {
    const { host, port, fd } = await this.start(0, undefined);
    this.address = { host, port };
    const others = Array.from({ length: this.options.config.readers - 1 }, (_, i) => i + 1);
    await Promise.all(others.map((thread) => this.start(thread, fd)));
    return this.address;
  }

  /** Waits for in-flight requests up to the time limit, then closes every connection. */
  async close(): Promise<void> {
    this.isClosing = true;
    for (const stop of this.stops) stop();
    for (const timer of this.timers) clearTimeout(timer);
    await Promise.all([...this.readers.values()].map(({ client }) => client.close()));
  }

  private follow(): void {
    const { events, pendingTransactions, sync, work } = this.sources;
    const { enabled } = this.options.config.ws;
    if (!enabled) return;
    if (events) this.stops.push(events.on((event) => this.announce("announce", plainChainEvent(event))));
    if (pendingTransactions) {
      this.stops.push(
        pendingTransactions.onPending((news) => this.announce("announcePending", plainTransactions(news))),
      );
    }
    if (sync) this.stops.push(sync.onChange((status) => this.announce("announceSync", status)));
    if (work) this.stops.push(work.onWork((news) => this.announce("announceWork", news)));
  }

  private announce<Name extends Exclude<keyof ReaderMethods, "listen">>(
    name: Name,
    news: Parameters<ReaderMethods[Name]>[0],
  ): void {
    for (const [thread, { client }] of this.readers) {
      client.call(name, news).catch((err: Error) => {
        if (!(err instanceof ThreadError)) this.logger.error({ err, thread }, "A reader thread missed an event");
        else if (err.code === "WORKER_BUSY") this.replace(thread, err);
      });
    }
  }

  private async start(thread: number, fd: number | undefined): Promise<OpenListener> {
    const { port1: own, port2: port } = new MessageChannel();
    serveReader(own, this.serving);
    const { network, location, config, clientVersion, isReplica } = this.options;
    const http = { ...config.http, port: this.address?.port ?? config.http.port };
    const hasWork = this.sources.work !== undefined;
    const data = {
      network,
      location,
      clientVersion,
      isReplica,
      hasWork,
      thread,
      counts: this.counts,
      logsDebug: this.logsDebug,
      port,
    };
    const client = new ThreadClient<ReaderMethods>({
      name: "reader",
      entry: THREAD_ENTRY,
      data: { ...data, config: { ...config, http } } satisfies ReaderThreadData,
      ports: [port],
      errors: [RpcServerError, DatabaseError],
      maxInFlight: MAX_IN_FLIGHT,
      onFailure: (error) => this.replace(thread, error),
    });
    void client.exited.then(() => own.close());
    const reader: Reader = { client, listener: undefined };
    this.readers.set(thread, reader);
    reader.listener = await client.call("listen", fd);
    return reader.listener;
  }

  private get logger(): Logger {
    return this.serving.logger;
  }

  /** Replaces a thread that has failed. Its clients can connect to the other threads in the meantime. */
  private replace(thread: number, err: Error): void {
    const reader = this.readers.get(thread);
    // The start of a thread that never listened reports the failure.
    if (this.isClosing || reader?.listener === undefined) return;
    this.logger.error({ err, thread }, "A reader thread failed and will be replaced");
    this.readers.delete(thread);
    void reader.client.terminate();
    new SharedCounts(this.counts, thread).clear();
    this.restartLater(thread);
  }

  private restartLater(thread: number): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      const other = [...this.readers.values()].find(({ listener }) => listener !== undefined);
      this.start(thread, other?.listener?.fd).catch((err: Error) => {
        this.logger.error({ err, thread }, "Failed to start a reader thread");
        void this.readers.get(thread)?.client.terminate();
        this.readers.delete(thread);
        if (!this.isClosing) this.restartLater(thread);
      });
    }, RESTART_DELAY);
    this.timers.add(timer);
  }
}

/** Copies transactions: a message holds whole buffers, of which encodings are parts. */
function plainTransactions(transactions: readonly Transaction[]): PlainTransactions {
  return { encoded: transactions.map(({ encoded }) => encoded.slice()), senders: packKnownSenders(transactions) };
}
