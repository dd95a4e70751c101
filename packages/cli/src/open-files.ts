import { readFileSync } from "node:fs";
import type { NodeOptions } from "@cambium/node/options";
import { type RpcConfig, sharesListener } from "@cambium/rpc/config";
import { CliError } from "./errors.js";

/** Options that decide how many files a node has open. */
export type OpenFileUses = Pick<NodeOptions, "rpc" | "peers" | "metrics">;

/**
 * Number of files for threads, databases, the log, and files that are open briefly. LevelDB maps its tables and keeps
 * none of them open.
 */
const PROGRAM = 256;
/** A reader thread, with its own handles of the database. */
const READER = 16;
/** Scrapers of the metrics. */
const METRICS = 64;
/** Connections to peers that are being dialled. */
const DIALS = 32;
/** Handshakes in progress on one listening address, of both wires. */
const HANDSHAKES = 74;
/** Connections that each listener of JSON-RPC must accept at least. */
const LEAST_CONNECTIONS = 100;

const ADVICE = `raise the limit with "ulimit -n 65536", or with LimitNOFILE=65536 in a systemd unit`;

/** JSON-RPC configuration that a limit of open files allows, and its changes. */
export interface FittedConfig {
  rpc: RpcConfig;
  /** A line for the log; undefined if the limit is high enough. */
  warning: string | undefined;
}

/**
 * Lowers the limits on JSON-RPC connections until all connections fit the limit of open files. Beyond that limit, the
 * system would close new connections unnoticed, and the database could open no file. Throws {@link CliError} `START` if
 * too few would remain.
 */
export function fitOpenFiles(uses: OpenFileUses, limit = openFileLimit()): FittedConfig {
  const { rpc } = uses;
  const { http, ws } = rpc;
  const listeners = ws.enabled && !sharesListener(rpc) ? [http, ws] : [http];
  const fixed = otherFiles(uses);
  const connections = listeners.reduce((sum, { maxConnections }) => sum + maxConnections, 0);
  if (limit >= fixed + connections) return { rpc, warning: undefined };
  const share = (limit - fixed) / connections;
  const fit = (connections: number) => Math.floor(connections * share);
  const isTooFew = ({ maxConnections }: { maxConnections: number }) =>
    fit(maxConnections) < Math.min(maxConnections, LEAST_CONNECTIONS);
  if (listeners.some(isTooFew)) {
    const needed = fixed + listeners.length * LEAST_CONNECTIONS;
    const reason = `only ${limit} open files are allowed, and a node with these settings needs ${needed}; ${ADVICE}`;
    throw new CliError({ code: "START", reason });
  }
  const perClient = rpc.connections.perClient && Math.max(fit(rpc.connections.perClient), 1);
  const fitted = {
    ...rpc,
    http: { ...http, maxConnections: fit(http.maxConnections) },
    ws: { ...ws, maxConnections: fit(ws.maxConnections) },
    connections: { ...rpc.connections, perClient },
  };
  const accepted =
    listeners.length > 1
      ? `HTTP ${fitted.http.maxConnections} and WebSocket ${fitted.ws.maxConnections}`
      : `JSON-RPC ${fitted.http.maxConnections}`;
  const warning =
    `Only ${limit} open files are allowed, and all connections would need ${fixed + connections}: ` +
    `${accepted} connections are accepted at a time; ${ADVICE}`;
  return { rpc: fitted, warning };
}

function otherFiles({ rpc, peers, metrics }: OpenFileUses): number {
  const own = PROGRAM + rpc.readers * READER + (metrics === undefined ? 0 : METRICS);
  if (peers === undefined) return own;
  const { limits, trustedPeers, rlpx } = peers;
  return own + limits.maximum + trustedPeers.length + DIALS + rlpx.hosts.length * HANDSHAKES;
}

/**
 * Returns the soft limit, which Node.js has raised to the hard one; infinite if there is none or it is unknown. It is
 * read on Linux only.
 */
function openFileLimit(): number {
  try {
    const [, limit] = readFileSync("/proc/self/limits", "latin1").match(/^Max open files +(\d+)/m) ?? [];
    return Number(limit ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
