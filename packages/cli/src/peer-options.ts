import { isForDevelopment, type NetworkConfig } from "@cambium/config";
import { type PeerOptions, peerDefaults } from "@cambium/node/options";
import { fromHex } from "@cambium/primitives";
import type { Checkpoint } from "@cambium/sync";
import { CliError, invalid, unmet } from "./errors.js";
import {
  choice,
  eitherWay,
  grouped,
  integer,
  list,
  MAX_PORT,
  onByDefault,
  parsed,
  port,
  toggle,
  type Values,
  withoutBrackets,
} from "./flags/flag.js";
import { keptBlocks, type STATE_FLAGS } from "./state-options.js";

const count = (help: string) => integer("n", help, { max: 10_000 });

export const SYNC_FLAGS = grouped("Synchronisation", {
  "sync.mode": choice(
    "mode",
    ["full", "snapshot"],
    "initial synchronisation: execute every block, or download a state snapshot (default: full)",
  ),
  "sync.checkpoint": parsed(
    "number:hash",
    "trusted block that the chain must contain; snapshots are verified back to it instead of to genesis",
    parseCheckpoint,
  ),
  "sync.serve": onByDefault("do not serve snapshots to peers"),
  history: choice(
    "fill",
    ["headers", "blocks"],
    "below published state or a snapshot: only verify the work of headers, or download blocks too (default: headers; blocks with --sync.mode snapshot, unless --history.blocks or --prune is given)",
  ),
});

export const PEER_FLAGS = grouped("Peers", {
  p2p: eitherWay(
    "connect to peers (default; on networks local and dev only with this or another --p2p flag)",
    "run without peers",
  ),
  "p2p.host": list("addresses", "IP addresses to listen on (default: all; on local and dev 127.0.0.1)"),
  "p2p.port": port("TCP port; 0 picks a free port (default: main 30330, test 30331, dev 30332, local 30333)"),
  "p2p.announce": list("multiaddrs", "addresses to announce instead of the listening addresses"),
  "p2p.wires": list(
    "names",
    "protocols to connect with: libp2p (Cambium nodes), rlpx (the deployed network) (default: both; on local and dev libp2p)",
  ),
  "p2p.rlpx-port": port("TCP and UDP port of rlpx; 0 picks a free port (default: main 5050, test 50505, local 50501)"),
  "p2p.rlpx-announce": parsed(
    "address",
    "public IP address or name to announce to nodes of the deployed network",
    withoutBrackets,
  ),
  "p2p.nodes": list("enodes", "nodes of the deployed network to stay connected to: enode://<id>@<host>:<port>"),
  "p2p.bootnodes": list(
    "addresses",
    "boot nodes: /ip4/…/tcp/…/p2p/<peer id>; for the deployed network <host>:<port>, replacing its own ones",
  ),
  "p2p.static": toggle("disable discovery: dial boot nodes only, and accept inbound peers"),
  "p2p.nat": toggle("open a port on the router with UPnP"),
  "p2p.max-peers": count("maximum number of connections (default: 60)"),
  "p2p.per-address": count("maximum connections per IP address (default: 4; on local and dev 60)"),
  "p2p.per-subnet": count("maximum connections per IPv4 /16 or IPv6 /32 subnet (default: 16; on local and dev 60)"),
  "p2p.trusted": list("peer ids", "peers exempt from the connection limits"),
  "p2p.banned": list("list", "peer ids, IP addresses and subnets (a.b.c.d/n) to refuse connections with"),
});

type PeerFlags = Values<typeof PEER_FLAGS & typeof SYNC_FLAGS> & Partial<Values<typeof STATE_FLAGS>>;

/**
 * The peer options, or undefined for a node without peers. Throws {@link CliError} `INVALID_OPTION` or
 * `OPTION_REQUIRES`.
 */
export function peerOptions(flags: PeerFlags, network: NetworkConfig): PeerOptions | undefined {
  const isAsked = Object.entries(flags).some(
    ([name, value]) => name.startsWith("p2p.") && value !== undefined && value !== false,
  );
  const wanted = flags.p2p ?? !isForDevelopment(network);
  if (flags.p2p === false || !(wanted || isAsked)) {
    const needing: Record<string, boolean> = {
      "--sync.mode": flags["sync.mode"] === "snapshot",
      "--sync.checkpoint": flags["sync.checkpoint"] !== undefined,
      "--history": flags.history === "blocks",
    };
    const option = Object.keys(needing).find((name) => needing[name]);
    if (option === undefined) return undefined;
    throw unmet(option, "--p2p");
  }
  const defaults = peerDefaults(network);
  const port = flags["p2p.port"] ?? defaults.port;
  const banned = flags["p2p.banned"] ?? [];
  const bootNodes = flags["p2p.bootnodes"] ?? [];
  const deployedBootNodes = bootNodes.filter((text) => !isMultiaddr(text)).map(parseBootNode);
  const hosts = flags["p2p.host"]?.map(withoutBrackets) ?? defaults.hosts;
  return {
    wires: parseWires(flags["p2p.wires"]) ?? defaults.wires,
    rlpx: {
      hosts,
      port: flags["p2p.rlpx-port"] ?? defaults.rlpxPort,
      publicHost: flags["p2p.rlpx-announce"],
      nodes: flags["p2p.nodes"] ?? [],
      bootNodes: deployedBootNodes.length > 0 ? deployedBootNodes : defaults.rlpxBootNodes,
    },
    listen: hosts.map((host) => tcpAddress(host, port)),
    announce: flags["p2p.announce"] ?? [],
    bootNodes: bootNodes.filter(isMultiaddr),
    discovery: !flags["p2p.static"],
    natTraversal: flags["p2p.nat"],
    limits: peerLimits(flags, defaults.limits),
    trustedPeers: flags["p2p.trusted"] ?? [],
    bannedPeers: banned.filter((text) => !isAddress(text)),
    bannedAddresses: banned.filter(isAddress),
    checkpoint: flags["sync.checkpoint"],
    servesSnapshots: flags["sync.serve"],
    fillsHistory: fillsHistory(flags),
  };
}

/** Whether blocks below a snapshot are downloaded. They would be dropped again if only the latest are kept. */
function fillsHistory(flags: PeerFlags): boolean {
  if (keptBlocks(flags) === undefined) {
    return (flags.history ?? (flags["sync.mode"] === "snapshot" ? "blocks" : "headers")) === "blocks";
  }
  if (flags.history === "blocks") throw invalid("--history", "blocks", "headers with --history.blocks or --prune");
  return false;
}

function peerLimits(flags: PeerFlags, defaults: PeerOptions["limits"]): PeerOptions["limits"] {
  const maximum = flags["p2p.max-peers"] ?? defaults.maximum;
  const share = maximum / defaults.maximum;
  return {
    maximum,
    target: Math.ceil(defaults.target * share),
    minimumOutbound: Math.ceil(defaults.minimumOutbound * share),
    perAddress: flags["p2p.per-address"] ?? defaults.perAddress,
    perSubnet: flags["p2p.per-subnet"] ?? defaults.perSubnet,
  };
}

/** Peer ids contain neither dots nor colons. */
function isAddress(text: string): boolean {
  return /[.:]/.test(text);
}

function isMultiaddr(text: string): boolean {
  return text.startsWith("/");
}

function parseWires(names: readonly string[] | undefined): PeerOptions["wires"] | undefined {
  if (names === undefined) return undefined;
  const known = names.filter((name) => name === "libp2p" || name === "rlpx");
  if (known.length === names.length && known.length > 0) return known;
  throw invalid("--p2p.wires", names.join(","), "libp2p,rlpx or one of them");
}

function parseBootNode(text: string): { host: string; port: number } {
  const match = /^\[?([^\s/\]]+?)\]?:(\d{1,5})$/.exec(text);
  if (match !== null && Number(match[2]) <= MAX_PORT) return { host: match[1]!, port: Number(match[2]) };
  throw invalid("--p2p.bootnodes", text, "a multiaddr that ends in /p2p/<peer id>, or <host>:<port>");
}

function tcpAddress(host: string, port: number): string {
  return `/${host.includes(":") ? "ip6" : "ip4"}/${host}/tcp/${port}`;
}

function parseCheckpoint(text: string, option: string): Checkpoint {
  const match = /^(\d{1,15}):(?:0x)?([0-9a-fA-F]{64})$/.exec(text);
  if (match === null) throw invalid(option, text, "<block number>:<64 hex digits of the block hash>");
  return { number: Number(match[1]), hash: fromHex(match[2]!) };
}
