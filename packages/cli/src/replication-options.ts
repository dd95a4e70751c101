import type { NetworkConfig } from "@cambium/config";
import type { ReplicationOptions } from "@cambium/node/options";
import type { Logger } from "@cambium/primitives";
import type { Command } from "commander";
import { CliError } from "./errors.js";
import { parseNumber } from "./options.js";
import { replicationKeys } from "./replication-keys.js";

/** Flags of `start` for replicas, as commander parses them. */
export interface ReplicationFlags {
  replicate?: string;
  "replicate.stream"?: string;
  "replicate.keyFile"?: string;
  "replicate.maxAge": string;
  "replicate.maxSize": string;
  "replicate.maxBacklog": string;
  "replicate.copies": string;
  "replicate.copyRate": string;
  "replicate.redundancy": string;
  "replicate.standby"?: boolean;
}

const HOUR = 3_600_000;
const MEGABYTE = 1_000_000;

/** Adds the flags of {@link ReplicationFlags} to a command. */
export function addReplicationOptions(command: Command): Command {
  return command
    .option(
      "--replicate <servers>",
      "NATS servers with JetStream, nats://host:port separated by commas or spaces, to which every batch is published for replicas",
    )
    .option("--replicate.stream <name>", "name of the stream (default: cambium-<network>)")
    .option(
      "--replicate.key-file <file>",
      "file with the key that the writer shares with its replicas; without it, anyone who may publish to NATS can forge their state",
    )
    .option(
      "--replicate.max-age <hours>",
      "how long the stream keeps batches; replicas away for longer need a new copy",
      "168",
    )
    .option("--replicate.max-size <megabytes>", "size of the stream beyond which it drops its oldest batches", "1000")
    .option(
      "--replicate.max-backlog <megabytes>",
      "batches that the database keeps while the stream is away; beyond that, replicas need a new copy",
      "256",
    )
    .option(
      "--replicate.copies <hours>",
      "age at which a copy of the database in the object store of NATS is replaced, from which replicas start; 0: no copy",
      "0",
    )
    .option("--replicate.copy-rate <megabytes>", "speed at which a copy is made, a second", "5")
    .option("--replicate.redundancy <n>", "NATS servers of a cluster that keep the stream and the copy: 1, 3 or 5", "1")
    .option(
      "--replicate.standby",
      "share the stream with other nodes started so: one of them publishes, the others follow it as replicas until it is their turn",
    );
}

/**
 * Returns undefined for a node without replicas. Throws {@link CliError} `INVALID_OPTION` or `OPTION_REQUIRES`, and as
 * {@link replicationKeys} does.
 */
export function replicationOptions(options: ReplicationFlags, network: NetworkConfig): ReplicationOptions | undefined {
  const { replicate } = options;
  if (replicate === undefined) return undefined;
  return {
    ...streamAddress("--replicate", replicate, options["replicate.stream"], network),
    keys: replicationKeys(options["replicate.keyFile"]),
    retention: {
      maxAge: positive("--replicate.max-age", options["replicate.maxAge"]) * HOUR,
      maxBytes: positive("--replicate.max-size", options["replicate.maxSize"]) * MEGABYTE,
    },
    maxBacklog: positive("--replicate.max-backlog", options["replicate.maxBacklog"]) * MEGABYTE,
    redundancy: redundancy(options["replicate.redundancy"]),
    copies: copies(options),
    isShared: options["replicate.standby"] === true,
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
  const hours = parseNumber("--replicate.copies", options["replicate.copies"], 1_000_000);
  const maxRate = positive("--replicate.copy-rate", options["replicate.copyRate"]) * MEGABYTE;
  if (hours === 0) return undefined;
  // The stream drops what is older than its limit: a copy must not become so old.
  const maxAge = positive("--replicate.max-age", options["replicate.maxAge"]);
  return { interval: Math.min(hours, maxAge / 2) * HOUR, maxRate };
}

function redundancy(text: string): number {
  if (["1", "3", "5"].includes(text)) return Number(text);
  throw new CliError({
    code: "INVALID_OPTION",
    option: "--replicate.redundancy",
    value: text,
    expected: "1, 3 or 5",
  });
}

/** The servers and the name of a stream. Throws {@link CliError} `INVALID_OPTION`. */
export function streamAddress(option: string, urls: string, name: string | undefined, network: NetworkConfig) {
  const servers = streamServers(option, urls);
  const stream = name ?? `cambium-${network.name}`.replaceAll(/[^\w-]/g, "-");
  return { servers, stream: streamName(`${option}.stream`, stream) };
}

/** The servers in a list of addresses. Throws {@link CliError} `INVALID_OPTION`. */
export function streamServers(option: string, urls: string): string[] {
  const servers = urls.split(/[\s,]+/).filter((url) => url.length > 0);
  const [invalid] = servers.length === 0 ? [urls] : servers.filter((url) => !isServer(url));
  if (invalid === undefined) return servers;
  const expected = "nats://host:port or tls://host:port";
  throw new CliError({ code: "INVALID_OPTION", option, value: invalid, expected });
}

/** A name that a stream can have. Throws {@link CliError} `INVALID_OPTION`. */
export function streamName(option: string, value: string): string {
  if (/^[\w-]{1,64}$/.test(value)) return value;
  throw new CliError({ code: "INVALID_OPTION", option, value, expected: "up to 64 letters, digits, - and _" });
}

function isServer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname } = new URL(text);
  return ["nats:", "tls:"].includes(protocol) && hostname !== "" && ["", "/"].includes(pathname);
}

function positive(option: string, text: string): number {
  const value = parseNumber(option, text, 1_000_000);
  if (value > 0) return value;
  throw new CliError({ code: "INVALID_OPTION", option, value: text, expected: "a whole number from 1 to 1000000" });
}
