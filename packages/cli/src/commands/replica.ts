import { resolve } from "node:path";
import { authority } from "@cambium/primitives";
import type { Command } from "commander";
import { rethrowStartError } from "../explain.js";
import { withFlags } from "../flags/command-flags.js";
import { list, text, toggle, type Values } from "../flags/flag.js";
import { explainLibraryError } from "../library-errors.js";
import { LOG_FLAGS, logOptions } from "../log/log-options.js";
import { MONITORING_FLAGS, metricsOptions } from "../monitoring-options.js";
import { fitOpenFiles } from "../open-files.js";
import { DATA_FLAGS, resolveData } from "../options.js";
import { makeDataFolder } from "../private-files.js";
import { replicationKeys } from "../replication/replication-keys.js";
import { streamAddress, warnWithoutKey } from "../replication/replication-options.js";
import { RPC_FLAGS, rpcConfig, usageOptions } from "../rpc-options.js";
import { aborted, stopSignal } from "../stop-signal.js";
import { VERSION } from "../version.js";

const FLAGS = {
  ...DATA_FLAGS,
  from: list("servers", "the NATS servers of the node, as in its --replicate", { isRequired: true }),
  "from.stream": text("name", "its --replicate.stream (default: cambium-<network>)"),
  "from.key-file": text("file", "file with the key in its --replicate.key-file"),
  "from.replace": toggle(
    "if the node's batches no longer continue this database, replace it by the node's --replicate.copies",
  ),
  ...RPC_FLAGS,
  ...LOG_FLAGS,
  ...MONITORING_FLAGS,
};

/**
 * `node-cli replica`: serves JSON-RPC from a copy of another node's database until SIGINT or SIGTERM. Fetches the copy
 * if it has none.
 */
export function replicaCommand(command: Command): void {
  withFlags(command, FLAGS, run);
}

async function run(options: Values<typeof FLAGS>): Promise<void> {
  const { network, dataDir } = await resolveData(options);
  const address = streamAddress("--from", options.from, options["from.stream"], network);
  const from = { ...address, keys: replicationKeys(options["from.key-file"]) };
  const version = `Cambium/${VERSION}`;
  const metrics = metricsOptions(options);
  const { rpc, warning } = fitOpenFiles({ rpc: await rpcConfig(options), metrics });
  const replicaOptions = {
    network,
    dataDir,
    from,
    version,
    rpc,
    metrics,
    usage: usageOptions(options, network),
    clientVersion: options["rpc.client-version"],
  };
  const log = logOptions(options);
  const { fetchDatabase, Monitor, needsCopy, Replica } = await import("@cambium/node/replica");
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
  let progress = "the replica is starting";
  const report = (text: string) => {
    progress = text;
  };
  const monitor = metrics && (await Monitor.open(metrics, logger, () => progress).catch(rethrowStartError));
  try {
    let isUsable = hasDatabase(databasePath(dataDir));
    for (;;) {
      isUsable ||= await fetchDatabase(replicaOptions, logger, stop, report).catch(rethrowStartError);
      if (!isUsable) return;
      const replica = await Replica.start(replicaOptions, logger, monitor).catch(rethrowStartError);
      const { ws } = replica.addresses;
      const endpoints = `http://${authority(replica.addresses)}${ws === undefined ? "" : ` and ws://${authority(ws)}`}`;
      logger.info(`Replica started, JSON-RPC at ${endpoints}; stop it with Ctrl+C or SIGTERM`);
      const failure = await Promise.race([aborted(stop), replica.failed]);
      await replica.stop();
      if (failure === undefined) return;
      if (!options["from.replace"] || !needsCopy(failure)) throw failure;
      logger.warn({ reason: explainLibraryError(failure, process.argv) }, "Replacing the database by a new copy");
      isUsable = false;
    }
  } finally {
    await monitor?.close();
  }
}
