import { type DerivedKey, mnemonicKeys } from "@cambium/accounts";
import type { Node } from "@cambium/node";
import type { NodeOptions } from "@cambium/node/options";
import { authority } from "@cambium/primitives";
import type { Command } from "commander";
import type { DevChains } from "../dev/dev-chains.js";
import { DEV_FLAGS, type DevOptions } from "../dev/dev-flags.js";
import { withDevNode } from "../dev/dev-node.js";
import { printGreeting, printReplacement, printTransactions } from "../dev/dev-output.js";
import { loadStateFile, requireStateFile, saveStateFile } from "../dev/state-file.js";
import { rethrowStartError } from "../explain.js";
import { withFlags } from "../flags/command-flags.js";
import { fitOpenFiles } from "../open-files.js";
import { makeDataFolder } from "../private-files.js";
import { aborted, stopSignal } from "../stop-signal.js";

/** `node-cli dev`: a local chain for development until SIGINT or SIGTERM. */
export function devCommand(program: Command): void {
  const command = program
    .command("dev")
    .description(
      "run a local chain for development: funded accounts, a block for every transaction, and a line for each",
    );
  withFlags(command, DEV_FLAGS, run);
}

async function run(options: DevOptions): Promise<void> {
  const keys = mnemonicKeys(options.mnemonic, options.accounts);
  const { state, "data-dir": folder } = options;
  if (state !== undefined) requireStateFile(state);
  if (folder !== undefined) makeDataFolder(folder);
  await withDevNode(options, keys, (node, chains) => serve(options, keys, node, chains));
}

async function serve(
  options: DevOptions,
  keys: readonly DerivedKey[],
  nodeOptions: NodeOptions,
  chains: DevChains,
): Promise<void> {
  const [{ Node }, { openLog }] = await Promise.all([import("@cambium/node"), import("../log/open-log.js")]);
  const logger = openLog({ levels: { all: "warn", packages: {} }, format: options["log.format"] });
  const stop = stopSignal(logger);
  const { rpc, warning } = fitOpenFiles(nodeOptions);
  if (warning !== undefined) logger.warn(warning);
  const node = await Node.start({ ...nodeOptions, rpc }, logger, stop).catch((error) =>
    rethrowStartError(error, "another port with --http.port"),
  );
  if (node === undefined) return;
  chains.address = node.addresses;
  try {
    await use(node, options, keys, stop);
  } finally {
    await node.stop();
  }
}

async function use(node: Node, options: DevOptions, keys: readonly DerivedKey[], stop: AbortSignal): Promise<void> {
  const url = `http://${authority(node.addresses)}`;
  const { state } = options;
  node.onChainReplaced(() => void printReplacement(node, options));
  if (state !== undefined) await loadStateFile(url, state);
  await printTransactions(node, options);
  printGreeting(node, options, keys);
  const failure = await Promise.race([aborted(stop), node.failed]);
  if (failure !== undefined) throw failure;
  if (state !== undefined) await saveStateFile(url, state);
}
