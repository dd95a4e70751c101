import { resolve } from "node:path";
import { authority } from "@cambium/primitives";
import type { Command } from "commander";
import { explainLibraryError } from "../library-errors.js";
import { addLogOptions, type LogFlags, logOptions } from "../log/log-options.js";
import { addMonitoringOptions, type MonitoringFlags, metricsOptions } from "../monitoring-options.js";
import { fitOpenFiles } from "../open-files.js";
import { dataDirOption, networkOption, resolveDataDir, resolveNetwork } from "../options.js";
import { makeDataFolder } from "../private-files.js";
import { replicationKeys } from "../replication-keys.js";
import { streamAddress, warnWithoutKey } from "../replication-options.js";
import { addRpcOptions, type RpcFlags, rpcConfig } from "../start-options.js";
import { aborted, stopSignal } from "../stop-signal.js";
import { usageOptions } from "../usage-options.js";
import { VERSION } from "../version.js";

interface ReplicaFlags extends RpcFlags, MonitoringFlags, LogFlags {
  network: string;
  dataDir?: string;
  from: string;
  "from.stream"?: string;
  "from.keyFile"?: string;
  "from.replace"?: boolean;
}

/**
 * `node-cli replica`: serves JSON-RPC from a copy of another node's database, which it fetches if it has none, until
 * SIGINT or SIGTERM.
 */
export function replicaCommand(program: Command): void {
  const command = program
    .command("replica")
    .description(
      "serve JSON-RPC from a copy of another node's database, which follows that node until SIGINT or SIGTERM",
    )
    .addOption(networkOption())
    .addOption(dataDirOption())
    .requiredOption("--from <servers>", "the NATS servers of the node, as in its --replicate")
    .option("--from.stream <name>", "its --replicate.stream (default: cambium-<network>)")
    .option("--from.key-file <file>", "file with the key in its --replicate.key-file")
    .option(
      "--from.replace",
      "if the node's batches no longer continue this database, replace it by the node's --replicate.copies",
    );
  addMonitoringOptions(addLogOptions(addRpcOptions(command))).action(run);
}

async function run(options: ReplicaFlags): Promise<void> {
  const network = await resolveNetwork(options.network);
  const dataDir = resolveDataDir(options.dataDir, network);
  const address = streamAddress("--from", options.from, options["from.stream"], network);
  const from = { ...address, keys: replicationKeys(options["from.keyFile"]) };
  const version = `Cambium/${VERSION}`;
  const about = { network, dataDir, from, version, clientVersion: options["rpc.clientVersion"] };
  const metrics = metricsOptions(options);
  const { rpc, warning } = fitOpenFiles({ rpc: await rpcConfig(options), metrics });
  const served = { rpc, usage: usageOptions(options, network), metrics };
  const log = logOptions(options);
  const { fetchDatabase, needsCopy, Replica } = await import("@cambium/node/replica");
  const { databasePath } = await import("@cambium/database");
  const { hasDatabase } = await import("@cambium/database");
  const { openLog } = await import("../log/open-log.js");
  makeDataFolder(dataDir);
  const logger = openLog(log);
  const stop = stopSignal(logger);
  logger.info(
    { dataDir: resolve(dataDir), pid: process.pid },
    `Starting a replica, ${version} on network ${network.name}`,
  );
  if (warning !== undefined) logger.warn(warning);
  warnWithoutKey(from, "--from.key-file", logger);
  let isUsable = hasDatabase(databasePath(dataDir));
  for (;;) {
    if (!isUsable && !(await fetchDatabase(about, logger, stop))) return;
    const replica = await Replica.start({ ...about, ...served }, logger).catch(async (error) => {
      const { startError } = await import("../start-errors.js");
      throw startError(error);
    });
    const { ws } = replica.addresses;
    const endpoints = `http://${authority(replica.addresses)}${ws === undefined ? "" : ` and ws://${authority(ws)}`}`;
    logger.info(`Replica started, JSON-RPC at ${endpoints}; stop it with Ctrl+C or SIGTERM`);
    const failure = await Promise.race([aborted(stop), replica.failed]);
    await replica.stop();
    if (failure === undefined) return;
    if (options["from.replace"] !== true || !needsCopy(failure)) throw failure;
    logger.warn({ reason: explainLibraryError(failure, process.argv) }, "Replacing the database by a new copy");
    isUsable = false;
  }
}
