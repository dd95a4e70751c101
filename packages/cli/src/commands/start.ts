import { Node } from "@cambium/node";
import type { Command } from "commander";
import { type Logger, pino } from "pino";
import { dataDirOption, networkOption, parseNumber, resolveDataDir, resolveNetwork } from "../options.js";
import { VERSION } from "../version.js";

interface StartOptions {
  network: string;
  dataDir?: string;
  "http.host": string;
  "http.port": string;
}

/** `node-cli start`: runs a node until SIGINT or SIGTERM. */
export function startCommand(program: Command): void {
  program
    .command("start")
    .description("open or create the database and serve it over JSON-RPC until SIGINT or SIGTERM")
    .addOption(networkOption())
    .addOption(dataDirOption())
    .option("--http.host <host>", "address to listen on", "127.0.0.1")
    .option("--http.port <port>", "port to listen on; 0 lets the system choose", "4444")
    .action(async (options: StartOptions) => {
      const network = resolveNetwork(options.network);
      const http = { host: options["http.host"], port: parseNumber("--http.port", options["http.port"], 65535) };
      const dataDir = resolveDataDir(options.dataDir, network);
      const logger = pino({ base: undefined, timestamp: pino.stdTimeFunctions.isoTime });
      const stopped = stopSignal(logger);
      const node = await Node.start({ network, dataDir, http, version: `Cambium/${VERSION}` }, logger);
      const { host, port } = node.address;
      logger.info(`Serving network ${network.name} (chain id ${network.chainId}) at http://${host}:${port}`);
      await stopped;
      await node.stop();
    });
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
