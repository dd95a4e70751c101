import { isForDevelopment, type NetworkConfig } from "@cambium/config";
import { type PeerOptions, peerDefaults } from "@cambium/node/options";
import { fromHex } from "@cambium/primitives";
import type { Checkpoint } from "@cambium/sync";
import { type Command, Option } from "commander";
import { CliError } from "./errors.js";
import { parseNumber, words } from "./options.js";

/** Flags of `start` for peers and synchronisation, as commander parses them. */
export interface PeerFlags {
  p2p?: boolean;
  "p2p.host"?: string;
  "p2p.port"?: string;
  "p2p.announce"?: string;
  "p2p.wires"?: string;
  "p2p.rlpxPort"?: string;
  "p2p.rlpxAnnounce"?: string;
  "p2p.nodes"?: string;
  "p2p.bootnodes"?: string;
  "p2p.static"?: boolean;
  "p2p.nat"?: boolean;
  "p2p.maxPeers"?: string;
  "p2p.perAddress"?: string;
  "p2p.perSubnet"?: string;
  "p2p.trusted"?: string;
  "p2p.banned"?: string;
  "sync.mode"?: "full" | "snapshot";
  "sync.checkpoint"?: string;
  "sync.serve": boolean;
}

/** Adds the flags of {@link PeerFlags} to a command. Lists are separated by spaces. */
export function addPeerOptions(command: Command): Command {
  return command
    .option("--p2p", "connect to peers (default; on networks local and dev only with this or another --p2p flag)")
    .option("--no-p2p", "run without peers")
    .option("--p2p.host <addresses>", "IP addresses to listen on (default: all; on local and dev 127.0.0.1)")
    .option(
      "--p2p.port <port>",
      "TCP port; 0 picks a free port (default: main 30330, test 30331, dev 30332, local 30333)",
    )
    .option("--p2p.announce <multiaddrs>", "addresses to announce instead of the listening addresses")
    .option(
      "--p2p.wires <names>",
      "protocols to connect with: libp2p (Cambium nodes), rlpx (the deployed network) (default: both; on local and dev libp2p)",
    )
    .option(
      "--p2p.rlpx-port <port>",
      "TCP and UDP port of rlpx; 0 picks a free port (default: main 5050, test 50505, local 50501)",
    )
    .option("--p2p.rlpx-announce <address>", "public IP address or name to announce to nodes of the deployed network")
    .option("--p2p.nodes <enodes>", "nodes of the deployed network to stay connected to: enode://<id>@<host>:<port>")
    .option(
      "--p2p.bootnodes <addresses>",
      "boot nodes: /ip4/…/tcp/…/p2p/<peer id>; for the deployed network <host>:<port>, replacing its own ones",
    )
    .option("--p2p.static", "disable discovery: dial boot nodes only, and accept inbound peers")
    .option("--p2p.nat", "open a port on the router with UPnP")
    .option("--p2p.max-peers <n>", "maximum number of connections (default: 60)")
    .option("--p2p.per-address <n>", "maximum connections per IP address (default: 4; on local and dev 60)")
    .option(
      "--p2p.per-subnet <n>",
      "maximum connections per IPv4 /16 or IPv6 /32 subnet (default: 16; on local and dev 60)",
    )
    .option("--p2p.trusted <peer ids>", "peers exempt from the connection limits")
    .option("--p2p.banned <list>", "peer ids, IP addresses and subnets (a.b.c.d/n) to refuse connections with")
    .addOption(
      new Option("--sync.mode <mode>", "initial synchronisation: execute every block, or download a state snapshot")
        .choices(["full", "snapshot"])
        .default(undefined, "full"),
    )
    .option(
      "--sync.checkpoint <number:hash>",
      "trusted block that the chain must contain; snapshots are verified back to it instead of to genesis",
    )
    .option("--no-sync.serve", "do not serve snapshots to peers");
}

/**
 * The peer options, or undefined for a node without peers. Throws {@link CliError} `INVALID_OPTION` or
 * `OPTION_REQUIRES`.
 */
export function peerOptions(flags: PeerFlags, network: NetworkConfig): PeerOptions | undefined {
  const isAsked = Object.entries(flags).some(([name, value]) => name.startsWith("p2p.") && value !== undefined);
  const wanted = flags.p2p ?? !isForDevelopment(network);
  if (flags.p2p === false || !(wanted || isAsked)) {
    const isSnapshot = flags["sync.mode"] === "snapshot";
    if (!isSnapshot && flags["sync.checkpoint"] === undefined) return undefined;
    const option = isSnapshot ? "--sync.mode" : "--sync.checkpoint";
    throw new CliError({ code: "OPTION_REQUIRES", option, requires: "--p2p" });
  }
  const defaults = peerDefaults(network);
  const port = flags["p2p.port"] === undefined ? defaults.port : parseNumber("--p2p.port", flags["p2p.port"], 65535);
  const rlpxPort = flags["p2p.rlpxPort"];
  const banned = words(flags["p2p.banned"]);
  const bootNodes = words(flags["p2p.bootnodes"]) ?? [];
  const deployedBootNodes = bootNodes.filter((text) => !isMultiaddr(text)).map(parseBootNode);
  const hosts = words(flags["p2p.host"]) ?? defaults.hosts;
  return {
    wires: parseWires(flags["p2p.wires"]) ?? defaults.wires,
    rlpx: {
      hosts,
      port: rlpxPort === undefined ? defaults.rlpxPort : parseNumber("--p2p.rlpx-port", rlpxPort, 65535),
      publicHost: flags["p2p.rlpxAnnounce"],
      nodes: words(flags["p2p.nodes"]) ?? [],
      bootNodes: deployedBootNodes.length > 0 ? deployedBootNodes : defaults.rlpxBootNodes,
    },
    listen: hosts.map((host) => tcpAddress(host, port)),
    announce: words(flags["p2p.announce"]) ?? [],
    bootNodes: bootNodes.filter(isMultiaddr),
    discovery: !flags["p2p.static"],
    natTraversal: flags["p2p.nat"] ?? false,
    limits: peerLimits(flags, defaults.limits),
    trustedPeers: words(flags["p2p.trusted"]) ?? [],
    bannedPeers: banned?.filter((text) => !isAddress(text)) ?? [],
    bannedAddresses: banned?.filter(isAddress) ?? [],
    checkpoint: parseCheckpoint(flags["sync.checkpoint"]),
    servesSnapshots: flags["sync.serve"],
  };
}

function peerLimits(flags: PeerFlags, defaults: PeerOptions["limits"]): PeerOptions["limits"] {
  const read = (option: string, text: string | undefined, fallback: number) =>
    text === undefined ? fallback : parseNumber(option, text, 10_000);
  const maximum = read("--p2p.max-peers", flags["p2p.maxPeers"], defaults.maximum);
  const share = maximum / defaults.maximum;
  return {
    maximum,
    target: Math.ceil(defaults.target * share),
    minimumOutbound: Math.ceil(defaults.minimumOutbound * share),
    perAddress: read("--p2p.per-address", flags["p2p.perAddress"], defaults.perAddress),
    perSubnet: read("--p2p.per-subnet", flags["p2p.perSubnet"], defaults.perSubnet),
  };
}

/** Peer ids contain neither dots nor colons. */
function isAddress(text: string): boolean {
  return /[.:]/.test(text);
}

function isMultiaddr(text: string): boolean {
  return text.startsWith("/");
}

function parseWires(text: string | undefined): PeerOptions["wires"] | undefined {
  const names = text?.split(/[\s,]+/).filter((name) => name.length > 0);
  if (names === undefined) return undefined;
  const known = names.filter((name) => name === "libp2p" || name === "rlpx");
  if (known.length === names.length && known.length > 0) return known;
  throw new CliError({
    code: "INVALID_OPTION",
    option: "--p2p.wires",
    value: text!,
    expected: "libp2p,rlpx or one of them",
  });
}

function parseBootNode(text: string): { host: string; port: number } {
  const match = /^\[?([^\s/\]]+?)\]?:(\d{1,5})$/.exec(text);
  if (match !== null && Number(match[2]) <= 65535) return { host: match[1]!, port: Number(match[2]) };
  const expected = "a multiaddr that ends in /p2p/<peer id>, or <host>:<port>";
  throw new CliError({ code: "INVALID_OPTION", option: "--p2p.bootnodes", value: text, expected });
}

function tcpAddress(host: string, port: number): string {
  return `/${host.includes(":") ? "ip6" : "ip4"}/${host}/tcp/${port}`;
}

function parseCheckpoint(text: string | undefined): Checkpoint | undefined {
  if (text === undefined) return undefined;
  const match = /^(\d{1,15}):(?:0x)?([0-9a-fA-F]{64})$/.exec(text);
  if (match === null) {
    const expected = "<block number>:<64 hex digits of the block hash>";
    throw new CliError({ code: "INVALID_OPTION", option: "--sync.checkpoint", value: text, expected });
  }
  return { number: Number(match[1]), hash: fromHex(match[2]!) };
}
