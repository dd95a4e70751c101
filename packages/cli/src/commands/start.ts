import { resolve } from "node:path";
import { isForDevelopment } from "@cambium/config";
import type { Node, Preparation } from "@cambium/node";
import type { NodeOptions } from "@cambium/node/options";
import { authority } from "@cambium/primitives";
import { servesDashboard } from "@cambium/rpc/config";
import type { Command } from "commander";
import type { Logger } from "pino";
import { developmentAccounts } from "../development-accounts.js";
import { rethrowStartError } from "../explain.js";
import { withFlags } from "../flags/command-flags.js";
import type { LogOptions } from "../log/log-options.js";
import { fitOpenFiles } from "../open-files.js";
import { print } from "../output.js";
import { makeDataFolder } from "../private-files.js";
import type { RunningSettings } from "../reload.js";
import { warnWithoutKey } from "../replication/replication-options.js";
import { readStartOptions, START_FLAGS, type StartOptions } from "../start-flags.js";
import { aborted, hasTerminal, stopSignal } from "../stop-signal.js";

/** `node-cli start`: runs a node until SIGINT or SIGTERM, or until its chain fails. */
export function startCommand(command: Command): void {
  withFlags(command, START_FLAGS, (options) => run(options, command));
}

async function run(options: StartOptions, command: Command): Promise<void> {
  // A signal that comes earlier than the settings would end the process.
  let settings: RunningSettings | undefined;
  onHangup(async () => settings?.reload());
  const { node: wanted, log } = await readStartOptions(options);
  const { rpc, warning } = fitOpenFiles(wanted);
  const nodeOptions = { ...wanted, rpc };
  const { network, dataDir, version } = nodeOptions;
  // After the options are known to be usable: the node takes seconds to load.
  const { Node } = await import("@cambium/node");
  const { openLog, setLogLevels } = await import("../log/open-log.js");
  const reloading = await import("../reload.js");
  // The log may be in it.
  makeDataFolder(dataDir);
  const logger = openLog(log);
  const stop = stopSignal(logger);
  logger.info({ dataDir: resolve(dataDir), pid: process.pid }, `Starting ${version} on network ${network.name}`);
  if (warning !== undefined) logger.warn(warning);
  const preparation = options.bootstrap ? await bootstrapped(nodeOptions, options, logger, stop) : undefined;
  if (options.bootstrap && stop.aborted) return preparation?.close();
  const running = new reloading.RunningSettings(command, nodeOptions, logger);
  settings = running;
  const administered = {
    ...nodeOptions,
    setLogLevels: (levels: string) => setLogLevels(logger, levels),
    reloadConfig: () => running.reload(),
  };
  const hasDashboard = servesDashboard(nodeOptions.rpc);
  const { replication } = nodeOptions;
  if (replication !== undefined) warnWithoutKey(replication, "--replicate.key-file", logger);
  if (replication?.isShared === true) {
    const listener = {
      writes: (writer: Node) => {
        running.node = writer;
        greet(writer, log, logger, hasDashboard);
      },
      standsBy: (addresses: Node["addresses"]) => logger.info(`Standing by as a replica, ${endpoints(addresses)}`),
      changes: () => {
        running.node = undefined;
      },
    };
    const { runInTurn } = await import("@cambium/node/turns");
    await preparation?.close();
    const failure = await runInTurn({ ...administered, replication }, listener, logger, stop).catch((error) =>
      rethrowStartError(error),
    );
    if (failure !== undefined) throw failure;
    return;
  }
  try {
    const node = await Node.start(administered, logger, stop, preparation).catch((error) => rethrowStartError(error));
    if (node === undefined) return;
    if (!stop.aborted) greet(node, log, logger, hasDashboard);
    running.node = node;
    const failure = await Promise.race([aborted(stop), node.failed]);
    running.node = undefined;
    await node.stop();
    // The failure names the remedy.
    if (failure !== undefined) throw failure;
  } finally {
    await preparation?.close();
  }
}

/** Installs published state; resolves to undefined if there is a chain already, or if a signal ends that. */
async function bootstrapped(
  node: NodeOptions,
  options: StartOptions,
  logger: Logger,
  stop: AbortSignal,
): Promise<Preparation | undefined> {
  const { startFromPublished } = await import("../published/start-from-published.js");
  try {
    return await startFromPublished(node, options, logger, stop);
  } catch (error) {
    if (stop.aborted) return undefined;
    return rethrowStartError(error);
  }
}

/**
 * Reloads the configuration on SIGHUP, except on a terminal: there the signal means that it is closed, and stops the
 * node.
 */
function onHangup(reload: () => Promise<unknown>): void {
  // A refusal is in the log.
  if (!hasTerminal()) process.on("SIGHUP", () => void reload().catch(() => undefined));
}

/**
 * Logs the accounts of a development network, the addresses of the node and how to stop it, and any flag that it lacks
 * to do work.
 */
function greet(node: Node, { format }: LogOptions, logger: Logger, hasDashboard: boolean): void {
  const { chain, addresses, peers, localMiner } = node;
  const { network } = chain;
  if (isForDevelopment(network)) {
    for (const line of developmentAccounts(network)) {
      if (format === "text") print(line);
      else logger.info(line);
    }
    if (format === "text") print("");
  }
  const about = `Node started on network ${network.name} (chain id ${network.chainId}), ${endpoints(addresses)}`;
  logger.info(`${about}; stop it with Ctrl+C or SIGTERM`);
  if (hasDashboard) logger.info(`Dashboard at http://${authority(addresses)}/dashboard/`);
  if (peers === undefined && localMiner?.isMining !== true) {
    logger.info(
      localMiner === undefined
        ? "This node has no peers and makes no blocks: its chain does not change. Start it without --no-p2p to synchronise"
        : "No block is mined unless a client asks for it (evm_mine, mnr_getWork). --mine mines one for each transaction, " +
            "--mine.interval at an interval, --p2p connects to peers",
    );
  }
}

function endpoints(addresses: Node["addresses"]): string {
  const { ws } = addresses;
  return `JSON-RPC at http://${authority(addresses)}${ws === undefined ? "" : ` and ws://${authority(ws)}`}`;
}
