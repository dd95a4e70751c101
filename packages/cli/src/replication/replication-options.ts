import type { NetworkConfig } from "@cambium/config";
import type { ReplicationOptions } from "@cambium/node/options";
import type { Logger } from "@cambium/primitives";
import type { StreamAddress } from "@cambium/replication";
import { invalid } from "../errors.js";
import { grouped, integer, list, parsed, text, toggle, type Values } from "../flags/flag.js";
import { replicationKeys } from "./replication-keys.js";

const HOUR = 3_600_000;
const MEGABYTE = 1_000_000;
const MAXIMUM = 1_000_000;

const positive = (value: string, help: string, initial: string) =>
  integer(value, help, { default: initial, min: 1, max: MAXIMUM });

/** Flags for replicas. */
export const REPLICATION_FLAGS = grouped("Replicas", {
  replicate: list(
    "servers",
    "NATS servers with JetStream, nats://host:port, to which every batch is published for replicas",
  ),
  "replicate.stream": text("name", "name of the stream (default: cambium-<network>)"),
  "replicate.key-file": text(
    "file",
    "file with the key that the writer shares with its replicas; without it, anyone who may publish to NATS can forge their state",
  ),
  "replicate.max-age": positive(
    "hours",
    "how long the stream keeps batches; replicas away for longer need a new copy",
    "168",
  ),
  "replicate.max-size": positive("megabytes", "size of the stream beyond which it drops its oldest batches", "1000"),
  "replicate.max-backlog": positive(
    "megabytes",
    "batches that the database keeps while the stream is away; beyond that, replicas need a new copy",
    "256",
  ),
  "replicate.copies": integer(
    "hours",
    "age at which a copy of the database in the object store of NATS is replaced, from which replicas start; 0: no copy",
    { default: "0", max: MAXIMUM },
  ),
  "replicate.copy-rate": positive("megabytes", "speed at which a copy is made, a second", "5"),
  "replicate.redundancy": parsed(
    "n",
    "NATS servers of a cluster that keep the stream and the copy: 1, 3 or 5",
    parseRedundancy,
    { default: "1", type: "integer" },
  ),
  "replicate.standby": toggle(
    "share the stream with other nodes started so: one of them publishes, the others follow it as replicas until it is their turn",
  ),
});

type ReplicationFlags = Values<typeof REPLICATION_FLAGS>;

/**
 * Returns undefined for a node without replicas. Throws `CliError` `INVALID_OPTION` or `OPTION_REQUIRES`, and as
 * {@link replicationKeys} does.
 */
export function replicationOptions(options: ReplicationFlags, network: NetworkConfig): ReplicationOptions | undefined {
  const { replicate } = options;
  if (replicate === undefined) return undefined;
  return {
    ...streamAddress("--replicate", replicate, options["replicate.stream"], network),
    keys: replicationKeys(options["replicate.key-file"]),
    retention: { maxAge: options["replicate.max-age"] * HOUR, maxBytes: options["replicate.max-size"] * MEGABYTE },
    maxBacklog: options["replicate.max-backlog"] * MEGABYTE,
    redundancy: options["replicate.redundancy"],
    copies: copies(options),
    isShared: options["replicate.standby"],
  };
}

/** Logs a warning if the stream has no key. `flag` names the missing flag. */
export function warnWithoutKey({ keys }: { keys: readonly unknown[] }, flag: string, logger: Logger): void {
  if (keys.length > 0) return;
  logger.warn(
    {},
    `Without a key, anyone who may publish to the NATS servers can forge the state of replicas: set ${flag}`,
  );
}

function copies(options: ReplicationFlags): ReplicationOptions["copies"] {
  const hours = options["replicate.copies"];
  if (hours === 0) return undefined;
  // The stream drops entries older than its limit: a copy must not become older than that.
  const maxAge = options["replicate.max-age"];
  return { interval: Math.min(hours, maxAge / 2) * HOUR, maxRate: options["replicate.copy-rate"] * MEGABYTE };
}

function parseRedundancy(text: string, option: string): number {
  if (["1", "3", "5"].includes(text)) return Number(text);
  throw invalid(option, text, "1, 3 or 5");
}

/** The servers and the name of a stream. Throws `CliError` `INVALID_OPTION`. */
export function streamAddress(
  option: string,
  urls: readonly string[],
  name: string | undefined,
  network: NetworkConfig,
): StreamAddress {
  const stream = name ?? `cambium-${network.name}`.replaceAll(/[^\w-]/g, "-");
  return { servers: streamServers(option, urls), stream: streamName(stream, `${option}.stream`) };
}

/** Checks addresses of servers. Throws `CliError` `INVALID_OPTION`. */
export function streamServers(option: string, urls: readonly string[]): readonly string[] {
  const wrong = urls.length === 0 ? "" : urls.find((url) => !isServer(url));
  if (wrong === undefined) return urls;
  throw invalid(option, wrong, "nats://host:port or tls://host:port");
}

/** A name that a stream can have. Throws `CliError` `INVALID_OPTION`. */
export function streamName(value: string, option: string): string {
  if (/^[\w-]{1,64}$/.test(value)) return value;
  throw invalid(option, value, "up to 64 letters, digits, - and _");
}

function isServer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname } = new URL(text);
  return ["nats:", "tls:"].includes(protocol) && hostname !== "" && ["", "/"].includes(pathname);
}
