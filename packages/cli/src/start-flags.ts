import { isForDevelopment } from "@cambium/config";
import type { NodeOptions } from "@cambium/node/options";
import type { Values } from "./flags/flag.js";
import { LOG_FLAGS, logOptions } from "./log/log-options.js";
import { MINING_FLAGS, miningAndWallet, WALLET_FLAGS } from "./mining-options.js";
import { MONITORING_FLAGS, metricsOptions } from "./monitoring-options.js";
import { DATA_FLAGS, resolveData } from "./options.js";
import { PEER_FLAGS, peerOptions, SYNC_FLAGS } from "./peer-options.js";
import { BOOTSTRAP_FLAGS } from "./published/site-flags.js";
import { REPLICATION_FLAGS, replicationOptions } from "./replication/replication-options.js";
import { RPC_FLAGS, rpcConfig, usageOptions } from "./rpc-options.js";
import { STATE_FLAGS, stateOptions } from "./state-options.js";
import { VERSION } from "./version.js";

/** The flags of `start`, and with them all settings. */
export const START_FLAGS = {
  ...DATA_FLAGS,
  ...RPC_FLAGS,
  ...MINING_FLAGS,
  ...WALLET_FLAGS,
  ...PEER_FLAGS,
  ...SYNC_FLAGS,
  ...BOOTSTRAP_FLAGS,
  ...STATE_FLAGS,
  ...LOG_FLAGS,
  ...REPLICATION_FLAGS,
  ...MONITORING_FLAGS,
};

export type StartOptions = Values<typeof START_FLAGS>;

/** Reads the options of a node from the flags. Rejects with `CliError`. */
export async function readStartOptions(options: StartOptions) {
  const { network, dataDir } = await resolveData(options);
  const rpc = await rpcConfig(options);
  const version = `Cambium/${VERSION}`;
  const peers = peerOptions(options, network);
  const metrics = metricsOptions(options);
  const state = stateOptions(options, network);
  // All blocks of a development network without peers come from this node.
  const inProcess = isForDevelopment(network) && peers === undefined;
  const parts = {
    ...miningAndWallet(options, network),
    peers,
    state,
    metrics,
    replication: replicationOptions(options, network),
    usage: usageOptions(options, network),
    inProcess,
    clientVersion: options["rpc.client-version"],
    syncMode: options["sync.mode"],
    accountSlots: options["txpool.account-slots"],
  };
  return { node: { network, dataDir, rpc, ...parts, version }, log: logOptions(options) };
}

/**
 * Checks the options of peers, which otherwise only a node that starts finds wrong. Rejects with `NetworkingError`
 * `INVALID_OPTION` or `INVALID_ADDRESS`.
 */
export async function checkPeers({
  peers,
  network,
  version,
}: Pick<NodeOptions, "peers" | "network" | "version">): Promise<void> {
  if (peers === undefined) return;
  const { checkNetworkingOptions } = await import("@cambium/networking");
  checkNetworkingOptions({ ...peers, network, folder: "", clientId: version });
}
