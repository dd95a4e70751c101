import { isForDevelopment } from "@cambium/config";
import type { MetricsOptions } from "@cambium/node/options";
import type { Command } from "commander";
import { addLogOptions, type LogFlags, logOptions } from "./log/log-options.js";
import { dataDirOption, networkOption, parseNumber, resolveDataDir, resolveNetwork } from "./options.js";
import { addPeerOptions, type PeerFlags, peerOptions } from "./peer-options.js";
import { addServingOptions, miningAndWallet, rpcConfig, type ServingOptions, words } from "./start-options.js";
import { addStateOptions, type StateFlags, stateOptions } from "./state-options.js";
import { VERSION } from "./version.js";

/** The flags of `start`, as commander parses them. */
export interface StartOptions extends ServingOptions, PeerFlags, StateFlags, LogFlags {
  "metrics.host": string;
  "metrics.hosts"?: string;
  "metrics.port"?: string;
  "health.maxLag": string;
  network: string;
  dataDir?: string;
}

/** Adds the flags of {@link StartOptions} to a command. */
export function addStartFlags(command: Command): Command {
  command.addOption(networkOption()).addOption(dataDirOption());
  return addLogOptions(addStateOptions(addPeerOptions(addServingOptions(command))))
    .option("--metrics.host <host>", "listening address of the metrics server", "127.0.0.1")
    .option("--metrics.hosts <names>", "host names accepted in the Host header, separated by spaces; * for any")
    .option(
      "--metrics.port <port>",
      "port of the server for /metrics (Prometheus), /health and /ready; 0 picks a free port (default: no server)",
    )
    .option("--health.max-lag <blocks>", "blocks that a node may be behind while /ready says that it is ready", "10");
}

/** What a node is started with. Rejects with `CliError`. */
export async function readStartOptions(options: StartOptions) {
  const network = await resolveNetwork(options.network);
  const dataDir = resolveDataDir(options.dataDir, network);
  const rpc = await rpcConfig(options);
  const version = `Cambium/${VERSION}`;
  const peers = peerOptions(options, network);
  const metrics = metricsOptions(options);
  const state = stateOptions(options, network);
  // Without peers, all blocks of a development network come from this node.
  const inProcess = isForDevelopment(network) && peers === undefined;
  const parts = {
    ...miningAndWallet(options, network),
    peers,
    state,
    metrics,
    inProcess,
    clientVersion: options["rpc.clientVersion"],
    syncMode: options["sync.mode"],
  };
  return { node: { network, dataDir, rpc, ...parts, version }, log: logOptions(options) };
}

function metricsOptions(options: StartOptions): MetricsOptions | undefined {
  const port = options["metrics.port"];
  if (port === undefined) return undefined;
  const hosts = words(options["metrics.hosts"]) ?? [];
  const maxLag = parseNumber("--health.max-lag", options["health.maxLag"]);
  return { host: options["metrics.host"], port: parseNumber("--metrics.port", port, 65535), hosts, maxLag };
}
