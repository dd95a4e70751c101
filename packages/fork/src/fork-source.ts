import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import { type BlockId, ChainError, type LogLocation, type LogQuery } from "@cambium/chain-store";
import type { ForkConfig, NetworkConfig } from "@cambium/config";
import { LruCache, revivedError, shownUrl, threadEntry, toHex } from "@cambium/primitives";
import { type ForkValues, StateError } from "@cambium/state";
import type { TrieEntry } from "@cambium/trie";
import {
  ENTRIES_PER_ANSWER,
  type ForkAnswers,
  type ForkQuestion,
  type ForkThreadData,
  type FromForkThread,
} from "./fork-messages.js";

/** Number of values and blocks in memory, in each thread that reads. */
const CACHED_VALUES = 100_000;
const CACHED_BLOCKS = 2_048;
/** Maximum size of block data kept in memory, in bytes. */
const MAX_CACHED_BYTES = 1 << 16;
/** Milliseconds until a read fails; retries of requests end earlier. */
const TIME_LIMIT = 120_000;

/**
 * Reads the source of a fork synchronously, as the interpreter needs it. A separate thread sends the requests while the
 * calling thread waits. Answers never change, so they are kept.
 */
export class ForkSource implements ForkValues {
  private readonly answered = new Int32Array(new SharedArrayBuffer(4));
  private readonly values = new LruCache<string, Uint8Array | null>(CACHED_VALUES);
  private readonly blocks = new LruCache<string, Uint8Array | null>(CACHED_BLOCKS);
  private thread: { worker: Worker; port: MessagePort } | undefined;
  private lastId = 0;

  constructor(
    private readonly network: NetworkConfig,
    readonly fork: ForkConfig,
  ) {}

  get(key: Uint8Array): Uint8Array | undefined {
    return this.kept(this.values, toHex(key), { kind: "value", after: undefined, key });
  }

  /** Throws {@link StateError} `UNSUPPORTED` if the source is an endpoint. */
  entries(prefix?: Uint8Array, maxKeyBytes?: number): Generator<TrieEntry> {
    return this.entriesAfter(undefined, prefix, maxKeyBytes);
  }

  /**
   * Returns the source's state after an ancestor of the forked block. Reading it throws {@link ChainError}
   * `FORK_SOURCE` if the source has none.
   */
  after(block: BlockId): ForkValues {
    const name = toHex(block.hash);
    return {
      get: (key) => this.kept(this.values, `${name} ${toHex(key)}`, { kind: "value", after: block, key }),
      entries: (prefix, maxKeyBytes) => this.entriesAfter(block, prefix, maxKeyBytes),
    };
  }

  private *entriesAfter(
    after: BlockId | undefined,
    prefix: Uint8Array | undefined,
    maxKeyBytes: number | undefined,
  ): Generator<TrieEntry> {
    if (isEndpoint(this.fork.source)) {
      throw new StateError({
        code: "UNSUPPORTED",
        what: "JSON-RPC cannot list the accounts and cells of a forked chain",
      });
    }
    for (let skip = 0; ; skip += ENTRIES_PER_ANSWER) {
      const some = this.ask({ kind: "entries", after, prefix, maxKeyBytes, skip });
      yield* some;
      if (some.length < ENTRIES_PER_ANSWER) return;
    }
  }

  /** Returns an entry of a table of blocks, for the forked block or one of its ancestors. */
  block(table: number, key: Uint8Array): Uint8Array | undefined {
    return this.kept(this.blocks, `${table} ${toHex(key)}`, { kind: "block", table, key });
  }

  /** Returns matching logs of blocks up to the forked one. */
  logs(query: LogQuery): LogLocation[] {
    return this.ask({ kind: "logs", query });
  }

  /** Ends the thread; a later read starts it again. */
  close(): void {
    void this.thread?.worker.terminate();
    this.thread?.port.close();
    this.thread = undefined;
  }

  private kept(
    cache: LruCache<string, Uint8Array | null>,
    name: string,
    question: ForkQuestion & { kind: "value" | "block" },
  ): Uint8Array | undefined {
    const known = cache.get(name);
    if (known !== undefined) return known ?? undefined;
    const answer = this.ask(question);
    if ((answer?.length ?? 0) <= MAX_CACHED_BYTES) cache.set(name, answer ?? null);
    return answer;
  }

  private ask<Kind extends ForkQuestion["kind"]>(question: ForkQuestion & { kind: Kind }): ForkAnswers[Kind] {
    this.thread ??= this.start();
    const { port } = this.thread;
    const id = ++this.lastId;
    const deadline = performance.now() + TIME_LIMIT;
    port.postMessage({ id, question });
    for (;;) {
      const seen = Atomics.load(this.answered, 0);
      for (let got = receiveMessageOnPort(port); got !== undefined; got = receiveMessageOnPort(port)) {
        const message = got.message as FromForkThread;
        // Answers to abandoned questions are ignored.
        if (message.id !== id) continue;
        if ("error" in message) throw revivedError(message.error, [ChainError]);
        return message.answer as ForkAnswers[Kind];
      }
      const left = deadline - performance.now();
      if (left <= 0 || Atomics.wait(this.answered, 0, seen, left) === "timed-out") {
        // The next read replaces a thread that hangs or has ended.
        this.close();
        throw new ChainError({
          code: "FORK_SOURCE",
          source: shownUrl(this.fork.source),
          what: question.kind,
          reason: `no answer in ${TIME_LIMIT / 1000} seconds`,
        });
      }
    }
  }

  private start(): { worker: Worker; port: MessagePort } {
    const { port1: port, port2: theirs } = new MessageChannel();
    const data: ForkThreadData & { port: MessagePort } = {
      network: this.network,
      answered: this.answered,
      port: theirs,
    };
    const worker = new Worker(threadEntry("./fork-thread.js", import.meta.url), {
      workerData: data,
      transferList: [theirs],
    });
    worker.on("error", () => undefined);
    worker.unref();
    port.unref();
    return { worker, port };
  }
}

/** Whether the source of a fork is an endpoint, not a folder. */
export function isEndpoint(source: string): boolean {
  return /^https?:\/\//.test(source);
}

const sources = new Map<string, ForkSource>();

/** Returns the source of a network's fork, which all readers of a thread share; undefined if the network is no fork. */
export function forkSource(network: NetworkConfig): ForkSource | undefined {
  const { fork } = network;
  if (fork === undefined) return undefined;
  const name = nameOf(fork);
  let source = sources.get(name);
  if (source === undefined) sources.set(name, (source = new ForkSource(network, fork)));
  return source;
}

/** Closes the source of a fork that this thread no longer uses; a later reader opens it again. */
export function closeForkSource({ fork }: NetworkConfig): void {
  if (fork === undefined) return;
  const name = nameOf(fork);
  sources.get(name)?.close();
  sources.delete(name);
}

function nameOf({ hash, source }: ForkConfig): string {
  return `${toHex(hash)} ${source}`;
}
