import { isForDevelopment } from "@cambium/config";
import type { NodeOptions } from "@cambium/node/options";
import type { Command } from "commander";
import { addLogOptions, type LogFlags, logOptions } from "./log/log-options.js";
import { addMonitoringOptions, type MonitoringFlags, metricsOptions } from "./monitoring-options.js";
import { dataDirOption, networkOption, resolveDataDir, resolveNetwork } from "./options.js";
import { addPeerOptions, type PeerFlags, peerOptions } from "./peer-options.js";
import { addReplicationOptions, type ReplicationFlags, replicationOptions } from "./replication-options.js";
import { addServingOptions, miningAndWallet, rpcConfig, type ServingOptions } from "./start-options.js";
import { addStateOptions, type StateFlags, stateOptions } from "./state-options.js";
import { usageOptions } from "./usage-options.js";
import { VERSION } from "./version.js";

/** The flags of `start`, as commander parses them. */
export interface StartOptions
  extends ServingOptions,
    PeerFlags,
    StateFlags,
    ReplicationFlags,
    MonitoringFlags,
    LogFlags {
  network: string;
  dataDir?: string;
}

/** Adds the flags of {@link StartOptions} to a command. */
export function addStartFlags(command: Command): Command {
  command.addOption(networkOption()).addOption(dataDirOption());
  addReplicationOptions(addLogOptions(addStateOptions(addPeerOptions(addServingOptions(command)))));
  return addMonitoringOptions(command);
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
    replication: replicationOptions(options, network),
    usage: usageOptions(options, network),
    inProcess,
    clientVersion: options["rpc.clientVersion"],
    syncMode: options["sync.mode"],
  };
  return { node: { network, dataDir, rpc, ...parts, version }, log: logOptions(options) };
}

/**
 * Checks the options of peers, which otherwise only a node that starts finds wrong. Rejects with `NetworkingError`
 * `INVALID_OPTION` or `INVALID_ADDRESS`.
 */
export async function checkPeers({ peers, network, version }: NodeOptions): Promise<void> {
  if (peers === undefined) return;
  const { checkNetworkingOptions } = await import("@cambium/networking");
  checkNetworkingOptions({ ...peers, network, folder: "", clientId: version });
}
