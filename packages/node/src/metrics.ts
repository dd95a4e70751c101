import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ChainReader } from "@cambium/chain";
import type { PoolReader } from "@cambium/txpool";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { NodeError } from "./errors.js";
import type { MetricsOptions } from "./options.js";
import type { Peers } from "./peers.js";

/** What the metrics are read from, at the moment they are asked for. */
export interface MetricsSources {
  chain: ChainReader;
  pool: PoolReader;
  /** Left out: a node by itself. */
  peers?: Peers | undefined;
}

const PHASES = ["waiting", "connection-point", "headers", "bodies", "snapshot", "following"] as const;

/** All metrics of a node. */
export function createRegistry({ chain, pool, peers }: MetricsSources): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `cambium_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge("best_block_number", "Height of the best block", () => chain.best().header.number);
  gauge("best_block_timestamp_seconds", "Time of the best block", () => chain.best().header.timestamp);
  gauge("pool_pending_transactions", "Transactions that can be mined", () => pool.counts().pending);
  gauge("pool_queued_transactions", "Transactions that wait for others", () => pool.counts().queued);
  if (peers !== undefined) addPeerMetrics(registry, gauge, peers);
  return registry;
}

function addPeerMetrics(
  registry: Registry,
  gauge: (name: string, help: string, read: () => number) => void,
  { network, engine, scoring }: Peers,
): void {
  const progress = () => engine.progress();
  gauge("peers", "Connected peers", () => network.peers().length);
  gauge(
    "peers_bad_reputation",
    "Peers and addresses under punishment",
    () => scoring.reputationSummary().badReputationCount,
  );
  gauge("sync_target_block_number", "Highest block believed to exist", () => progress().target);
  gauge("sync_blocks_per_second", "Blocks imported a second", () => progress().blocksPerSecond);
  gauge("sync_seconds_left", "Estimate; -1 when unknown", () => progress().timeLeft ?? -1);
  new Gauge({
    name: "cambium_sync_phase",
    help: "1 for the phase of synchronisation the node is in",
    labelNames: ["phase"],
    registers: [registry],
    collect() {
      const { phase } = progress();
      for (const name of PHASES) this.set({ phase: name }, name === phase ? 1 : 0);
    },
  });
}

/** Metrics over HTTP, for Prometheus. */
export interface MetricsServer {
  host: string;
  port: number;
  close(): Promise<void>;
}

/** Rejects with {@link NodeError} `METRICS_LISTEN`. */
export async function serveMetrics(registry: Registry, { host, port }: MetricsOptions): Promise<MetricsServer> {
  const server = createServer(async (request, response) => {
    if (request.method !== "GET" || request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    const text = await registry.metrics();
    response.writeHead(200, { "content-type": registry.contentType }).end(text);
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
