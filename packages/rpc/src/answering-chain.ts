import {
  ChainFeed,
  type ClientBudget,
  FilterRegistry,
  type MethodDefinition,
  type NewsSources,
  type PendingEventSource,
  shownChain,
  type WorkEventSource,
} from "@cambium/api";
import type { ChainReader } from "@cambium/chain";
import type { TransactionPoolApi } from "@cambium/txpool";
import type { RpcConfig } from "./config.js";
import type { RpcServerOptions, ServedChain } from "./interface.js";
import { METHODS_FOR_REPLICAS } from "./replicas/replica-methods.js";
import type { WriterForwarding } from "./replicas/writer-forwarding.js";
import { createDispatcher } from "./requests/dispatcher.js";
import type { Dispatcher } from "./requests/interface.js";
import type { UsageMeter } from "./usage/usage-meter.js";

/** Differences between nodes and replicas. */
export interface ServerKind {
  methods: readonly MethodDefinition[];
  /** Work of the writer, for subscribers in the main thread. */
  work?: WorkEventSource;
  writer?: WriterForwarding;
}

/** Parts that a server keeps when it serves another chain. */
export interface LastingParts {
  options: RpcServerOptions;
  kind: ServerKind;
  config: RpcConfig;
  budget: ClientBudget;
  usage: UsageMeter;
}

/** Answers requests about one chain. */
export class AnsweringChain {
  readonly chain: ChainReader;
  readonly sources: NewsSources;
  readonly feed: ChainFeed;
  readonly dispatcher: Dispatcher;
  private readonly filters: FilterRegistry;
  private readonly createForReplicas: () => Dispatcher;
  private forReplicas: Dispatcher | undefined;
  /** Number of requests in progress. */
  private requests = 0;
  private onAnswered: () => void = () => undefined;

  constructor(
    served: ServedChain,
    { options, kind, config, budget, usage }: LastingParts,
    /** Sequence number of the last change of the previous chain. */
    sequence = 0,
  ) {
    const { methods, writer } = kind;
    const { events, pool, sync, miner: work = kind.work } = served;
    const chain = shownChain(served.chain, config);
    const { logger } = options;
    const pendingTransactions = pendingSource(pool);
    this.chain = chain;
    this.sources = {
      pendingTransactions,
      ...(sync && { sync }),
      ...(work && { work }),
    };
    const feed = new ChainFeed(chain, events, sequence, config.skipRemasc);
    const filters = new FilterRegistry({ chain, config, feed, pendingTransactions, budget, logger });
    const syncStatus = () => sync?.status() ?? (false as const);
    const dispatched = { ...options, ...served, feed, filters, syncStatus };
    this.dispatcher = createDispatcher(dispatched, methods, logger, writer, usage);
    this.createForReplicas = () => createDispatcher(dispatched, METHODS_FOR_REPLICAS, logger);
    this.feed = feed;
    this.filters = filters;
  }

  async handle<T>(answer: (dispatcher: Dispatcher) => Promise<T>): Promise<T> {
    this.requests++;
    try {
      return await answer(this.dispatcher);
    } finally {
      if (--this.requests === 0) this.onAnswered();
    }
  }

  async handleForReplica(text: string): Promise<string | undefined> {
    this.forReplicas ??= this.createForReplicas();
    return (await this.forReplicas.handleText(text)).body;
  }

  /** Resolves when no request is in progress, or after this number of milliseconds. */
  answered(timeout: number): Promise<void> {
    if (this.requests === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeout);
      this.onAnswered = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  close(): void {
    this.filters.close();
    this.feed.close();
  }
}

export function pendingSource(pool: TransactionPoolApi): PendingEventSource {
  return {
    onPending: (listener) =>
      pool.on((event) => {
        if (event.kind === "newPending") listener(event.transactions);
      }),
  };
}
