import { type DerivedKey, mnemonicKeys } from "@cambium/accounts";
import type { DevListening, DevNodeOptions } from "@cambium/dev";
import type { Node } from "@cambium/node";
import { authority } from "@cambium/primitives";
import type { RpcConfig } from "@cambium/rpc/config";
import type { Command } from "commander";
import { DEV_FLAGS, type DevOptions } from "../dev/dev-flags.js";
import { createPrinter, printGreeting, printReplacement } from "../dev/dev-output.js";
import { loadStateFile, requireStateFile, saveStateFile } from "../dev/state-file.js";
import { unmet } from "../errors.js";
import { rethrowStartError } from "../explain.js";
import { withFlags } from "../flags/command-flags.js";
import { fitOpenFiles } from "../open-files.js";
import { resolveNetwork } from "../options.js";
import { makeDataFolder } from "../private-files.js";
import { aborted, stopSignal } from "../stop-signal.js";
import { VERSION } from "../version.js";

/** `node-cli dev`: a local chain for development until SIGINT or SIGTERM. */
export function devCommand(command: Command): void {
  withFlags(command, DEV_FLAGS, run);
}

async function run(options: DevOptions): Promise<void> {
  const keys = mnemonicKeys(options.mnemonic, options.accounts);
  const { state, "data-dir": folder } = options;
  if (options.fork === undefined && options["fork.block"] !== undefined) throw unmet("--fork.block", "--fork");
  if (state !== undefined) requireStateFile(state);
  if (folder !== undefined) makeDataFolder(folder);
  const { DevNode, devRpcConfig } = await import("@cambium/dev");
  const { openLog } = await import("../log/open-log.js");
  const logger = openLog({ levels: { all: "warn", packages: {} }, format: options["log.format"] });
  const stop = stopSignal(logger);
  const { rpc, warning } = fitOpenFiles({
    rpc: devRpcConfig(listening(options)),
    peers: undefined,
    metrics: undefined,
  });
  if (warning !== undefined) logger.warn(warning);
  const nodeOptions = { ...(await nodeOptionsOf(options, keys)), rpc };
  const { artifacts, names, console } = await openConsole(options).catch(rethrowStartError);
  const observed = {
    artifacts,
    revertText: (data: Uint8Array) => names.revertText(data, "whole", "short"),
    onFailedRequest:
      console && ((request: Parameters<typeof console.requestFailed>[0]) => console.requestFailed(request)),
  };
  const running = await DevNode.start({ ...nodeOptions, ...observed }, logger, stop).catch((error) =>
    rethrowStartError(error, "another port with --http.port"),
  );
  if (running === undefined) return;
  try {
    running.node.onChainReplaced(() => printReplacement(running.node, options));
    await use(running.node, options, { keys, rpc, stop, onReady: () => console?.watch(running.node) });
  } finally {
    await running.stop();
  }
}

function listening(options: DevOptions): DevListening {
  const { "http.host": host, "http.port": port, "http.hosts": hosts, "http.cors": origins, dashboard } = options;
  return { host, port, hosts, origins, dashboard };
}

async function nodeOptionsOf(options: DevOptions, keys: readonly DerivedKey[]): Promise<Omit<DevNodeOptions, "rpc">> {
  const network = options["fork.network"];
  return {
    keys,
    balance: options.balance,
    gasLimit: options["gas-limit"],
    minimumGasPrice: options["gas-price"],
    chainId: options["chain-id"],
    blockInterval: options["block-time"],
    fork: {
      source: options.fork,
      block: options["fork.block"],
      allow: options["fork.allow"],
      network: network === undefined ? undefined : await resolveNetwork(network),
      cache: options["fork.cache"],
    },
    dataDir: options["data-dir"],
    listsAccounts: options.state !== undefined,
    clientVersion: options["rpc.client-version"],
    version: `Cambium/${VERSION}`,
  };
}

/** Opens the artifacts and names of the developer's contracts, and a console; there is none with `--quiet`. */
async function openConsole(options: DevOptions) {
  const { ArtifactStore, DevConsole, KnownSignatures } = await import("@cambium/dev");
  const artifacts = new ArtifactStore(options.abi);
  const names = new KnownSignatures(artifacts.abis);
  const show = await createPrinter(options);
  return { artifacts, names, console: show && new DevConsole(names, show) };
}

interface Use {
  keys: readonly DerivedKey[];
  rpc: RpcConfig;
  stop: AbortSignal;
  onReady: () => void;
}

async function use(node: Node, options: DevOptions, { keys, rpc, stop, onReady }: Use): Promise<void> {
  const url = `http://${authority(node.addresses)}`;
  const { state } = options;
  if (state !== undefined) await loadStateFile(url, state);
  onReady();
  printGreeting(node, rpc, options, keys);
  const failure = await Promise.race([aborted(stop), node.failed]);
  if (failure !== undefined) throw failure;
  if (state !== undefined) await saveStateFile(url, state);
}
