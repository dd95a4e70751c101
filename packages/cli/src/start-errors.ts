import { AccountsError } from "@cambium/accounts";
import { MinerError } from "@cambium/miner";
import { NetworkingError } from "@cambium/networking";
import { NodeError } from "@cambium/node";
import { authority } from "@cambium/primitives";
import { RpcServerError } from "@cambium/rpc";
import { TxPoolError } from "@cambium/txpool";
import { CliError } from "./errors.js";

/** Flags that set options of the network of peers. */
const PEER_FLAGS: Readonly<Record<string, string>> = {
  listen: "--p2p.host",
  announce: "--p2p.announce",
  bootNodes: "--p2p.bootnodes",
  trustedPeers: "--p2p.trusted",
  bannedPeers: "--p2p.banned",
  bannedAddresses: "--p2p.banned",
  "rlpx.nodes": "--p2p.nodes",
};

/**
 * An error of `Node.start` as a {@link CliError} `START` that says what to change; other errors are returned as they
 * are.
 */
export function startError(error: unknown): unknown {
  const reason = reasonOf(error);
  return reason === undefined ? error : new CliError({ code: "START", reason }, { cause: error });
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof RpcServerError && error.details.code === "LISTEN_FAILED") {
    const why = listenReason(
      error.details.reason,
      "--http.host and --ws.host",
      "other ports with --http.port and --ws.port",
    );
    return `cannot listen on ${authority(error.details)} for JSON-RPC: ${why}`;
  }
  if (error instanceof NetworkingError) return peersReason(error);
  if (error instanceof TxPoolError && error.details.code === "JOURNAL_FILE") {
    const { path, reason } = error.details;
    return `cannot read or write the journal of local transactions ${path}: ${reason}; check its owner and permissions`;
  }
  if (error instanceof RpcServerError && error.details.code === "INVALID_CONFIGURATION") {
    return `invalid setting ${error.details.option} of JSON-RPC: ${error.details.reason}`;
  }
  if (error instanceof NodeError && error.details.code === "FORK_WITH_PEERS") {
    return "a fork has no peers, because its blocks are invalid for all others: leave out the --p2p options";
  }
  if (error instanceof NodeError && error.details.code === "REPLICATED_SNAPSHOT") {
    return "blocks below the snapshot are still being downloaded: start with --replicate when they are complete";
  }
  if (error instanceof NodeError && error.details.code === "METRICS_LISTEN") {
    const why = listenReason(error.details.reason, "--metrics.host", "another port with --metrics.port");
    return `cannot listen on ${authority(error.details)} for metrics: ${why}`;
  }
  if (error instanceof NodeError && error.details.code === "SNAPSHOT_UNFINISHED") {
    const advice =
      "with the --sync.checkpoint of before, if any, or with --sync.mode full to discard it and execute every block";
    return `the database contains an unfinished snapshot of block ${error.details.block}; continue it with --sync.mode snapshot, ${advice}`;
  }
  if (error instanceof AccountsError && error.details.code === "KEY_FOLDER") {
    const { folder, reason } = error.details;
    return `cannot read the key folder ${folder}: ${reason}; --no-wallet starts the node without keys`;
  }
  if (error instanceof MinerError && error.details.code === "OPTION") {
    return `invalid ${error.details.option}: ${error.details.reason}`;
  }
  return undefined;
}

/** Why nothing can listen on an address, and which flags help: those of the host, or what `ports` says. */
function listenReason(reason: string, hosts: string, ports: string): string {
  const [, absent] = /EADDRNOTAVAIL: address not available (\S+?)(?::\d+)?$/.exec(reason) ?? [];
  if (absent !== undefined)
    return `this machine does not have the address ${absent}; choose one that it has with ${hosts}`;
  const [, unknown] = /(?:ENOTFOUND|EAI_AGAIN) (\S+)$/.exec(reason) ?? [];
  if (unknown !== undefined) return `the name ${unknown} has no address; choose an address with ${hosts}`;
  if (/EACCES/.test(reason)) return `permission denied, as for most ports below 1024; choose ${ports}`;
  return `${reason}; choose ${ports}`;
}

/** The flag whose value an error is about; undefined for other errors. */
export function peerFlagOf(error: unknown): string | undefined {
  if (!(error instanceof NetworkingError)) return undefined;
  const { details } = error;
  if (details.code === "INVALID_ADDRESS") return PEER_FLAGS.bannedAddresses;
  return details.code === "INVALID_OPTION" ? PEER_FLAGS[details.option] : undefined;
}

function peersReason({ details }: NetworkingError): string | undefined {
  if (details.code === "INVALID_ADDRESS") {
    return `invalid ${PEER_FLAGS.bannedAddresses}: ${details.text}: ${details.reason}`;
  }
  if (details.code === "INVALID_OPTION") {
    return `invalid ${PEER_FLAGS[details.option] ?? `setting ${details.option} of the peer network`}: ${details.reason}`;
  }
  if (details.code === "LISTEN_FAILED") {
    const advice = "other ports with --p2p.port and --p2p.rlpx-port, or addresses with --p2p.host";
    return `cannot listen for peers: ${listenReason(details.reason, "--p2p.host", advice)}`;
  }
  if (details.code === "KEY_FILE") {
    const advice = "restore the file, or remove it for a new key and peer id";
    return `cannot read or create the key of the peer id ${details.path}: ${details.reason}; ${advice}`;
  }
  return undefined;
}
