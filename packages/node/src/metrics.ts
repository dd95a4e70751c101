import { statfs } from "node:fs/promises";
import type { Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { StoredChainReader } from "@cambium/chain";
import { measureThread, observeGarbageCollection } from "@cambium/primitives";
import { createSideServer } from "@cambium/rpc";
import type { PoolReader } from "@cambium/txpool";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { NodeError } from "./errors.js";
import type { Health } from "./health.js";
import { registerMeasurements } from "./measured-metrics.js";
import type { MetricsOptions } from "./options.js";
import type { Peers } from "./peers.js";

/** Gauges with names of counters, which Prometheus's linter refuses; they are sums of other series. */
const MISNAMED = ["handles", "requests", "resources"].map((kind) => `nodejs_active_${kind}_total`);
const PHASES = ["waiting", "connection-point", "headers", "bodies", "snapshot", "following"] as const;
const SNAPSHOT_STEPS = ["idle", "choosing", "headers", "state", "blocks", "history"] as const;
const WIRES = ["libp2p", "rlpx"] as const;

/** A metric without its values. */
export interface MetricDescription {
  name: string;
  help: string;
  type: string;
  labelNames: readonly string[];
}

/** All metrics of a node, read from their sources when Prometheus scrapes. Sources are added as the node starts. */
export class Metrics {
  private readonly registry = new Registry();

  /** Starts the measurement of threads. */
  constructor(chain: Pick<StoredChainReader, "best" | "earliestBlock" | "trust">) {
    collectDefaultMetrics({ register: this.registry });
    for (const name of MISNAMED) this.registry.removeSingleMetric(name);
    observeGarbageCollection();
    measureThread();
    this.gauge("best_block_number", "Height of the best block", () => chain.best().header.number);
    this.gauge("best_block_timestamp_seconds", "Time of the best block", () => Number(chain.best().header.timestamp));
    const basis = "1 for the basis of trust in the chain, otherwise 0: verified work alone, or signers too";
    this.choice("trust", "basis", basis, ["work", "signers"], () => chain.trust().basis);
    const since = "Number of the block from which work is verified; 0 is genesis";
    this.gauge("work_verified_since_block", since, () => chain.trust().since);
    const oldest = "Number of the block from which all blocks are stored whole; 0 is genesis";
    this.gauge("oldest_block", oldest, () => chain.earliestBlock());
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  text(): Promise<string> {
    registerMeasurements(this.registry);
    return this.registry.metrics();
  }

  /** Describes the present metrics of {@link text}, ordered by name. */
  describe(): MetricDescription[] {
    registerMeasurements(this.registry);
    const metrics = this.registry.getMetricsAsArray() as unknown as MetricDescription[];
    return metrics
      .map(({ name, help, type, labelNames = [] }) => ({ name, help, type, labelNames }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Adds the file system of a folder. */
  addDisk(folder: string): void {
    this.gauge("disk_free_bytes", "Free bytes of the file system of the data folder", async () => {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize;
    });
    this.gauge("disk_size_bytes", "Size of the file system of the data folder", async () => {
      const { blocks, bsize } = await statfs(folder);
      return blocks * bsize;
    });
  }

  addPool(pool: PoolReader): void {
    this.gauge("pool_pending_transactions", "Executable transactions in the pool", () => pool.counts().pending);
    this.gauge("pool_queued_transactions", "Transactions in the pool with a nonce gap", () => pool.counts().queued);
  }

  addPeers(peers: Peers): void {
    const { network, scoring, snapshots } = peers;
    const progress = () => peers.progress();
    const snapshot = () => snapshots.progress();
    this.gauge("peers", "Connected peers", () => network.peers().length);
    this.counts(
      "peers_by_wire",
      "wire",
      "Connected peers by the protocol that connects them",
      WIRES,
      (wire) => network.peers().filter((peer) => peer.wire === wire).length,
    );
    this.gauge(
      "peers_bad_reputation",
      "Peers and addresses currently punished for misbehaviour",
      () => scoring.reputationSummary().badReputationCount,
    );
    this.gauge(
      "sync_target_block_number",
      "Number of the block that synchronisation aims for",
      () => progress().target,
    );
    this.gauge("sync_blocks_per_second", "Blocks imported per second", () => progress().blocksPerSecond);
    this.gauge(
      "sync_left_seconds",
      "Estimated seconds until synchronised; -1 if unknown",
      () => progress().timeLeft ?? -1,
    );
    this.choice(
      "sync_phase",
      "phase",
      "1 for the current phase of synchronisation, otherwise 0",
      PHASES,
      () => progress().phase,
    );
    const steps = "1 for the current step of the snapshot download, otherwise 0";
    this.choice("snapshot_step", "step", steps, SNAPSHOT_STEPS, () => snapshot().step);
    this.gauge(
      "snapshot_completed",
      "Bytes of state, headers or blocks completed in the current step",
      () => snapshot().done,
    );
    this.gauge(
      "snapshot_size",
      "Bytes of state, headers or blocks to complete in the current step",
      () => snapshot().total,
    );
    this.gauge("snapshot_chunks_per_second", "State chunks stored per second", () => snapshot().chunksPerSecond);
    this.gauge(
      "snapshot_left_seconds",
      "Estimated seconds until the current step completes; -1 if unknown",
      () => snapshot().timeLeft ?? -1,
    );
  }

  private gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name: `cambium_${name}`,
      help,
      registers: [this.registry],
      async collect() {
        this.set(await read());
      },
    });
  }

  /** Adds a gauge labelled with each of `values`: 1 for the current value, otherwise 0. */
  private counts(
    name: string,
    label: string,
    help: string,
    values: readonly string[],
    read: (value: string) => number,
  ): void {
    new Gauge({
      name: `cambium_${name}`,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect() {
        for (const value of values) this.set({ [label]: value }, read(value));
      },
    });
  }

  /** Adds a gauge that is 1 for one of several values, and 0 for the others. */
  private choice<Value extends string>(
    name: string,
    label: string,
    help: string,
    values: readonly Value[],
    read: () => NoInfer<Value>,
  ): void {
    this.counts(name, label, help, values, (value) => (value === read() ? 1 : 0));
  }
}

/** The HTTP server that Prometheus scrapes. */
export interface MetricsServer {
  host: string;
  port: number;
  close(): Promise<void>;
}

/** Limits of the server: Prometheus opens one connection. Times in milliseconds. */
const LIMITS = { maxConnections: 50, keepAliveTimeout: 300_000, receiveTimeout: 10_000, writeTimeout: 30_000 };

/**
 * Starts the server of `/metrics`, `/health` and `/ready`. Metrics that `read` throws for are unavailable. Rejects with
 * {@link NodeError} `METRICS_LISTEN`.
 */
export async function serveMetrics(
  read: () => Pick<Metrics, "contentType" | "text">,
  health: Pick<Health, "readiness">,
  { host, port, hosts }: Omit<MetricsOptions, "maxLag">,
): Promise<MetricsServer> {
  let text: Promise<string> | undefined;
  const server = createSideServer({ ...LIMITS, host, hosts }, async (request, response) => {
    const path = request.method === "GET" ? request.url : undefined;
    if (path === "/health") sendJson(response, 200, { alive: true });
    else if (path === "/ready") sendReadiness(response, health);
    else if (path === "/metrics") await sendMetrics(response);
    else response.writeHead(404).end();
  });

  async function sendMetrics(response: ServerResponse): Promise<void> {
    let metrics: Pick<Metrics, "contentType" | "text">;
    try {
      metrics = read();
    } catch (error) {
      response.writeHead(503, { "content-type": "text/plain" }).end(`${(error as Error).message}\n`);
      return;
    }
    // Concurrent requests receive the same text.
    text ??= metrics.text().finally(() => {
      text = undefined;
    });
    await text.then(
      (body) => response.writeHead(200, { "content-type": metrics.contentType }).end(body),
      () => response.writeHead(500).end(),
    );
  }

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

function sendReadiness(response: ServerResponse, health: Pick<Health, "readiness">): void {
  try {
    const readiness = health.readiness();
    sendJson(response, readiness.ready ? 200 : 503, readiness);
  } catch (error) {
    sendJson(response, 503, { ready: false, reasons: [(error as Error).message] });
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(new NodeError({ code: "METRICS_LISTEN", host, port, reason: error.message }, { cause: error })),
    );
    server.listen(port, host, resolve);
  });
}
