import { AccountsError } from "@cambium/accounts";
import { DevError } from "@cambium/dev";
import { MinerError } from "@cambium/miner";
import { NetworkingError } from "@cambium/networking";
import { NodeError } from "@cambium/node";
import { authority } from "@cambium/primitives";
import { RpcServerError } from "@cambium/rpc";
import { TxPoolError } from "@cambium/txpool";
import { CliError, invalid } from "./errors.js";
import { plainReason } from "./system-errors.js";

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

const KINDS = [AccountsError, MinerError, NetworkingError, NodeError, RpcServerError, TxPoolError] as const;

/** The flags of a command that choose the ports of JSON-RPC, in words. */
const RPC_PORTS = "other ports with --http.port and --ws.port";

/**
 * Converts an error of `Node.start` to a {@link CliError} `START` that explains the remedy. Other errors are returned
 * unchanged.
 */
export function startError(error: unknown, rpcPorts = RPC_PORTS): unknown {
  if (error instanceof DevError) return devError(error);
  const reason = KINDS.some((kind) => error instanceof kind)
    ? reasonOf(error as InstanceType<(typeof KINDS)[number]>, rpcPorts)
    : undefined;
  return reason === undefined ? error : new CliError({ code: "START", reason }, { cause: error });
}

/** The names of the options of `dev` equal those of its flags. */
function devError(error: DevError): CliError {
  const { details, message } = error;
  if (details.code === "INVALID_OPTION") return invalid(`--${details.option}`, details.value, details.expected);
  return new CliError({ code: "START", reason: message }, { cause: error });
}

function reasonOf({ details }: InstanceType<(typeof KINDS)[number]>, rpcPorts: string): string | undefined {
  switch (details.code) {
    case "LISTEN_FAILED": {
      if (!("host" in details)) {
        const advice = "other ports with --p2p.port and --p2p.rlpx-port, or addresses with --p2p.host";
        return `cannot listen for peers: ${listenReason(details.reason, "--p2p.host", advice)}`;
      }
      const why = listenReason(details.reason, "--http.host and --ws.host", rpcPorts);
      return `cannot listen on ${authority(details)} for JSON-RPC: ${why}`;
    }
    case "METRICS_LISTEN": {
      const why = listenReason(details.reason, "--metrics.host", "another port with --metrics.port");
      return `cannot listen on ${authority(details)} for metrics: ${why}`;
    }
    case "INVALID_ADDRESS":
      return "text" in details
        ? `invalid ${PEER_FLAGS.bannedAddresses}: ${details.text}: ${details.reason}`
        : undefined;
    case "INVALID_OPTION":
      return `invalid ${PEER_FLAGS[details.option] ?? `setting ${details.option} of the peer network`}: ${details.reason}`;
    case "KEY_FILE": {
      const advice = "restore the file, or remove it for a new key and peer id";
      return `cannot read or create the key of the peer id ${details.path}: ${plainReason(details.reason)}; ${advice}`;
    }
    case "JOURNAL_FILE": {
      const reason = plainReason(details.reason);
      return `cannot read or write the journal of local transactions ${details.path}: ${reason}; check its owner and permissions`;
    }
    case "INVALID_CONFIGURATION":
      return `invalid setting ${details.option} of JSON-RPC: ${details.reason}`;
    case "FORK_WITH_PEERS":
      return "a fork has no peers, because its blocks are invalid for all others: leave out the --p2p options";
    case "REPLICATED_SNAPSHOT":
      return "blocks below the snapshot are missing, and their download is not replicated: start with --history blocks, and with --replicate when they are complete";
    case "SNAPSHOT_UNFINISHED": {
      const advice =
        "with the --sync.checkpoint of before, if any, or with --sync.mode full to discard it and execute every block";
      return `the database contains an unfinished snapshot of block ${details.block}; continue it with --sync.mode snapshot, ${advice}`;
    }
    case "KEY_FOLDER":
      return `cannot read the key folder ${details.folder}: ${plainReason(details.reason)}; --no-wallet starts the node without keys`;
    case "OPTION":
      return `invalid ${details.option}: ${details.reason}`;
    default:
      return undefined;
  }
}

/**
 * Explains why the node cannot listen on an address, and which flags help: those of the host, or the text of `ports`.
 */
function listenReason(reason: string, hosts: string, ports: string): string {
  const [, absent] = /EADDRNOTAVAIL: address not available (\S+?)(?::\d+)?$/.exec(reason) ?? [];
  if (absent !== undefined)
    return `this machine does not have the address ${absent}; choose one that it has with ${hosts}`;
  const [, unknown] = /(?:ENOTFOUND|EAI_AGAIN) (\S+)$/.exec(reason) ?? [];
  if (unknown !== undefined) return `the name ${unknown} has no address; choose an address with ${hosts}`;
  const [, taken] = /EADDRINUSE:? (?:address already in use )?(\S+)$/.exec(reason) ?? [];
  if (taken !== undefined) return `another program uses ${taken}; choose ${ports}`;
  if (/EACCES/.test(reason)) return `permission denied, as for most ports below 1024; choose ${ports}`;
  return `${reason}; choose ${ports}`;
}

/** Returns the flag whose value an error concerns; undefined for other errors. */
export function peerFlagOf(error: unknown): string | undefined {
  if (!(error instanceof NetworkingError)) return undefined;
  const { details } = error;
  if (details.code === "INVALID_ADDRESS") return PEER_FLAGS.bannedAddresses;
  return details.code === "INVALID_OPTION" ? PEER_FLAGS[details.option] : undefined;
}
