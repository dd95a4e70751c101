import { isForDevelopment } from "@cambium/config";
import type { MetricsOptions } from "@cambium/node/options";
import type { Command } from "commander";
import { developmentAccounts } from "../development-accounts.js";
import { requireOpenFiles } from "../open-files.js";
import { dataDirOption, networkOption, parseNumber, resolveDataDir, resolveNetwork } from "../options.js";
import { print } from "../output.js";
import { addPeerOptions, type PeerFlags, peerOptions } from "../peer-options.js";
import { addServingOptions, miningAndWallet, rpcConfig, type ServingOptions, words } from "../start-options.js";
import { addStateOptions, type StateFlags, stateOptions } from "../state-options.js";
import { aborted, stopSignal } from "../stop-signal.js";
import { VERSION } from "../version.js";

interface StartOptions extends ServingOptions, PeerFlags, StateFlags {
  "metrics.host": string;
  "metrics.hosts"?: string;
  "metrics.port"?: string;
  network: string;
  dataDir?: string;
}

/** `node-cli start`: runs a node until SIGINT or SIGTERM, or until its chain fails. */
export function startCommand(program: Command): void {
  const command = program
    .command("start")
    .description("run a node: synchronise the chain and serve JSON-RPC until SIGINT or SIGTERM")
    .addOption(networkOption())
    .addOption(dataDirOption());
  addStateOptions(addPeerOptions(addServingOptions(command)))
    .option("--metrics.host <host>", "listening address of the metrics server", "127.0.0.1")
    .option("--metrics.hosts <names>", "host names accepted in the Host header, separated by spaces; * for any")
    .option("--metrics.port <port>", "port of the Prometheus metrics server; 0 picks a free port (default: no server)")
    .action(run);
}

async function run(options: StartOptions): Promise<void> {
  requireOpenFiles();
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
  // After the options are known to be usable: the node takes seconds to load.
  const { Node } = await import("@cambium/node");
  const { openLog } = await import("../log.js");
  const logger = openLog();
  const stop = stopSignal(logger);
  const node = await Node.start({ network, dataDir, rpc, ...parts, version }, logger, stop).catch(async (error) => {
    const { startError } = await import("../start-errors.js");
    throw startError(error);
  });
  if (node === undefined) return;
  if (isForDevelopment(network)) for (const line of developmentAccounts(network)) print(line);
  const { host, port, ws } = node.addresses;
  const endpoints = `http://${host}:${port}${ws === undefined ? "" : ` and ws://${ws.host}:${ws.port}`}`;
  logger.info(`Node started on network ${network.name} (chain id ${network.chainId}), JSON-RPC at ${endpoints}`);
  const failure = await Promise.race([aborted(stop), node.failed]);
  if (failure !== undefined) process.exitCode = 1;
  await node.stop();
}

function metricsOptions(options: StartOptions): MetricsOptions | undefined {
  const port = options["metrics.port"];
  if (port === undefined) return undefined;
  const hosts = words(options["metrics.hosts"]) ?? [];
  return { host: options["metrics.host"], port: parseNumber("--metrics.port", port, 65535), hosts };
}
