import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ChainReader } from "@cambium/chain";
import { SNAPSHOT_STEPS } from "@cambium/sync";
import type { PoolReader } from "@cambium/txpool";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { NodeError } from "./errors.js";
import type { MetricsOptions } from "./options.js";
import type { Peers } from "./peers.js";

const PHASES = ["waiting", "connection-point", "headers", "bodies", "snapshot", "following"] as const;

/** All metrics of a node. Each is read from its source when it is asked for; sources come as the node starts. */
export class Metrics {
  private readonly registry = new Registry();

  constructor(chain: ChainReader) {
    collectDefaultMetrics({ register: this.registry });
    this.gauge("best_block_number", "Height of the best block", () => chain.best().header.number);
    this.gauge("best_block_timestamp_seconds", "Time of the best block", () => Number(chain.best().header.timestamp));
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }

  addPool(pool: PoolReader): void {
    this.gauge("pool_pending_transactions", "Transactions that can be mined", () => pool.counts().pending);
    this.gauge("pool_queued_transactions", "Transactions that wait for others", () => pool.counts().queued);
  }

  addPeers(peers: Peers): void {
    const { network, scoring, snapshots } = peers;
    const progress = () => peers.progress();
    const snapshot = () => snapshots.progress();
    this.gauge("peers", "Connected peers", () => network.peers().length);
    this.gauge(
      "peers_bad_reputation",
      "Peers and addresses under punishment",
      () => scoring.reputationSummary().badReputationCount,
    );
    this.gauge("sync_target_block_number", "Highest block believed to exist", () => progress().target);
    this.gauge("sync_blocks_per_second", "Blocks imported a second", () => progress().blocksPerSecond);
    this.gauge("sync_seconds_left", "Estimate; -1 when unknown", () => progress().timeLeft ?? -1);
    this.choice(
      "sync_phase",
      "phase",
      "1 for the phase of synchronisation the node is in",
      PHASES,
      () => progress().phase,
    );
    this.choice("snapshot_step", "step", "1 for what is being fetched", SNAPSHOT_STEPS, () => snapshot().step);
    this.gauge("snapshot_done", "Of the step: bytes of state, otherwise headers or blocks", () => snapshot().done);
    this.gauge("snapshot_total", "Of the step", () => snapshot().total);
    this.gauge("snapshot_chunks_per_second", "Chunks of state stored a second", () => snapshot().chunksPerSecond);
    this.gauge("snapshot_seconds_left", "Of the step; -1 when unknown", () => snapshot().timeLeft ?? -1);
  }

  private gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name: `cambium_${name}`,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }

  /** One gauge for each of `values`, of which one is 1. */
  private choice(name: string, label: string, help: string, values: readonly string[], read: () => string): void {
    new Gauge({
      name: `cambium_${name}`,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect() {
        const current = read();
        for (const value of values) this.set({ [label]: value }, value === current ? 1 : 0);
      },
    });
  }
}

/** Metrics over HTTP, for Prometheus. */
export interface MetricsServer {
  host: string;
  port: number;
  close(): Promise<void>;
}

/** Rejects with {@link NodeError} `METRICS_LISTEN`. */
export async function serveMetrics(metrics: Metrics, { host, port }: MetricsOptions): Promise<MetricsServer> {
  const server = createServer(async (request, response) => {
    if (request.method !== "GET" || request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    const text = await metrics.text();
    response.writeHead(200, { "content-type": metrics.contentType }).end(text);
  });
  await listen(server, host, port);
  const address = server.address() as AddressInfo;
  return {
    host,
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(new NodeError({ code: "METRICS_LISTEN", host, port, reason: error.message }, { cause: error })),
    );
    server.listen(port, host, resolve);
  });
}
