import { resolve } from "node:path";
import { isForDevelopment } from "@cambium/config";
import type { Node } from "@cambium/node";
import type { MetricsOptions } from "@cambium/node/options";
import { authority } from "@cambium/primitives";
import type { Command } from "commander";
import type { Logger } from "pino";
import { developmentAccounts } from "../development-accounts.js";
import { addLogOptions, type LogFlags, type LogOptions, logOptions } from "../log/log-options.js";
import { requireOpenFiles } from "../open-files.js";
import { dataDirOption, networkOption, parseNumber, resolveDataDir, resolveNetwork } from "../options.js";
import { print } from "../output.js";
import { addPeerOptions, type PeerFlags, peerOptions } from "../peer-options.js";
import { addServingOptions, miningAndWallet, rpcConfig, type ServingOptions, words } from "../start-options.js";
import { addStateOptions, type StateFlags, stateOptions } from "../state-options.js";
import { aborted, stopSignal } from "../stop-signal.js";
import { VERSION } from "../version.js";

interface StartOptions extends ServingOptions, PeerFlags, StateFlags, LogFlags {
  "metrics.host": string;
  "metrics.hosts"?: string;
  "metrics.port"?: string;
  "health.maxLag": string;
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
  addLogOptions(addStateOptions(addPeerOptions(addServingOptions(command))))
    .option("--metrics.host <host>", "listening address of the metrics server", "127.0.0.1")
    .option("--metrics.hosts <names>", "host names accepted in the Host header, separated by spaces; * for any")
    .option(
      "--metrics.port <port>",
      "port of the server for /metrics (Prometheus), /health and /ready; 0 picks a free port (default: no server)",
    )
    .option("--health.max-lag <blocks>", "blocks that a node may be behind while /ready says that it is ready", "10")
    .action(run);
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

async function run(options: StartOptions): Promise<void> {
  requireOpenFiles();
  const { node: nodeOptions, log } = await readStartOptions(options);
  const { network, dataDir, version } = nodeOptions;
  // After the options are known to be usable: the node takes seconds to load.
  const { Node } = await import("@cambium/node");
  const { openLog, setLogLevels } = await import("../log/open-log.js");
  const logger = openLog(log);
  const stop = stopSignal(logger);
  logger.info({ dataDir: resolve(dataDir), pid: process.pid }, `Starting ${version} on network ${network.name}`);
  const administered = { ...nodeOptions, setLogLevels: (levels: string) => setLogLevels(logger, levels) };
  const node = await Node.start(administered, logger, stop).catch(async (error) => {
    const { startError } = await import("../start-errors.js");
    throw startError(error);
  });
  if (node === undefined) return;
  if (!stop.aborted) greet(node, log, logger);
  const failure = await Promise.race([aborted(stop), node.failed]);
  if (failure !== undefined) process.exitCode = 1;
  await node.stop();
}

/** Logs the accounts of a development network, where the node serves and how to stop it, and which flag is missing for it to do something. */
function greet(node: Node, { format }: LogOptions, logger: Logger): void {
  const { chain, addresses, peers, localMiner } = node;
  const { network } = chain;
  if (isForDevelopment(network)) {
    for (const line of developmentAccounts(network)) {
      if (format === "text") print(line);
      else logger.info(line);
    }
  }
  const { ws } = addresses;
  const endpoints = `http://${authority(addresses)}${ws === undefined ? "" : ` and ws://${authority(ws)}`}`;
  const about = `Node started on network ${network.name} (chain id ${network.chainId}), JSON-RPC at ${endpoints}`;
  logger.info(`${about}; stop it with Ctrl+C or SIGTERM`);
  if (peers === undefined && localMiner?.isMining !== true) {
    logger.info(
      localMiner === undefined
        ? "This node has no peers and makes no blocks: its chain does not change. Start it without --no-p2p to synchronise"
        : "No block is mined unless a client asks for it (evm_mine, mnr_getWork). --mine mines one for each transaction, " +
            "--mine.interval at an interval, --p2p connects to peers",
    );
  }
}

function metricsOptions(options: StartOptions): MetricsOptions | undefined {
  const port = options["metrics.port"];
  if (port === undefined) return undefined;
  const hosts = words(options["metrics.hosts"]) ?? [];
  const maxLag = parseNumber("--health.max-lag", options["health.maxLag"]);
  return { host: options["metrics.host"], port: parseNumber("--metrics.port", port, 65535), hosts, maxLag };
}
