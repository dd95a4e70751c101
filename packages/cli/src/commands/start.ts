import { isForDevelopment, Node } from "@cambium/node";
import type { Command } from "commander";
import { type Logger, pino } from "pino";
import { developmentAccounts } from "../development-accounts.js";
import { dataDirOption, networkOption, resolveDataDir, resolveNetwork } from "../options.js";
import { print } from "../output.js";
import { addServingOptions, ownBlocks, rpcConfig, type ServingOptions } from "../start-options.js";
import { VERSION } from "../version.js";

interface StartOptions extends ServingOptions {
  network: string;
  dataDir?: string;
}

/** `node-cli start`: runs a node until SIGINT or SIGTERM. */
export function startCommand(program: Command): void {
  const command = program
    .command("start")
    .description("open or create the database and serve it over JSON-RPC until SIGINT or SIGTERM")
    .addOption(networkOption())
    .addOption(dataDirOption());
  addServingOptions(command).action(run);
}

async function run(options: StartOptions): Promise<void> {
  const network = resolveNetwork(options.network);
  const dataDir = resolveDataDir(options.dataDir, network);
  const rpc = rpcConfig(options);
  const logger = pino({ base: undefined, timestamp: pino.stdTimeFunctions.isoTime });
  const stopped = stopSignal(logger);
  const version = `Cambium/${VERSION}`;
  const node = await Node.start({ network, dataDir, rpc, ...ownBlocks(options, network), version }, logger);
  if (isForDevelopment(network)) for (const line of developmentAccounts(network)) print(line);
  const { host, port, ws } = node.addresses;
  const where = `http://${host}:${port}${ws === undefined ? "" : ` and ws://${ws.host}:${ws.port}`}`;
  logger.info(`Serving network ${network.name} (chain id ${network.chainId}) at ${where}`);
  await stopped;
  await node.stop();
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
function stopSignal(logger: Logger): Promise<void> {
  return new Promise((resolve) => {
    let stopping = false;
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.on(signal, () => {
        if (stopping) process.exit(1);
        stopping = true;
        logger.info(`${signal}: stopping`);
        resolve();
      });
    }
  });
}
