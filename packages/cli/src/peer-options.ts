import type { NetworkConfig } from "@cambium/config";
import { isForDevelopment, type PeerOptions, peerDefaults } from "@cambium/node";
import { fromHex } from "@cambium/primitives";
import type { Checkpoint } from "@cambium/sync";
import { type Command, Option } from "commander";
import { CliError } from "./errors.js";
import { parseNumber } from "./options.js";

/** What `start` is told about other nodes, as the command line has it. */
export interface PeerFlags {
  p2p?: boolean;
  "p2p.host"?: string;
  "p2p.port"?: string;
  "p2p.announce"?: string;
  "p2p.bootnodes"?: string;
  "p2p.static"?: boolean;
  "p2p.nat"?: boolean;
  "p2p.maxPeers"?: string;
  "p2p.perAddress"?: string;
  "p2p.perSubnet"?: string;
  "p2p.trusted"?: string;
  "p2p.banned"?: string;
  "sync.mode": string;
  "sync.checkpoint"?: string;
  "sync.serve": boolean;
}

/** Adds them to a command. Lists are separated by spaces. */
export function addPeerOptions(command: Command): Command {
  return command
    .option("--p2p", "meet other nodes (default; on networks local and dev only with this or another --p2p flag)")
    .option("--no-p2p", "meet no other nodes")
    .option("--p2p.host <addresses>", "IP addresses to listen on (default: all; on local and dev 127.0.0.1)")
    .option(
      "--p2p.port <port>",
      "TCP port; 0 lets the system choose (default: main 30330, test 30331, dev 30332, local 30333)",
    )
    .option("--p2p.announce <multiaddrs>", "addresses that others are told instead of the ones listened on")
    .option("--p2p.bootnodes <multiaddrs>", "nodes to meet first: /ip4/…/tcp/…/p2p/<peer id>")
    .option("--p2p.static", "meet only boot nodes and those who call: learn of nobody else")
    .option("--p2p.nat", "ask routers for a way in (UPnP)")
    .option("--p2p.max-peers <n>", "connections at most (default: 60)")
    .option("--p2p.per-address <n>", "connections to one IP address at most (default: 4; on local and dev 60)")
    .option(
      "--p2p.per-subnet <n>",
      "connections to one /16 of IPv4 or /32 of IPv6 at most (default: 16; on local and dev 60)",
    )
    .option("--p2p.trusted <peer ids>", "peers that limits do not apply to")
    .option("--p2p.banned <list>", "peer ids, addresses and address blocks (a.b.c.d/n) to keep away")
    .addOption(
      new Option("--sync.mode <mode>", "how an empty database gets its chain: execute every block, or fetch a state")
        .choices(["full", "snapshot"])
        .default("full"),
    )
    .option(
      "--sync.checkpoint <number:hash>",
      "block that every chain must contain; a snapshot is verified down to it instead of to genesis",
    )
    .option("--no-sync.serve", "do not hand out snapshots to other nodes");
}

/** Undefined: a node by itself. Throws {@link CliError} `INVALID_OPTION`. */
export function peerOptions(flags: PeerFlags, network: NetworkConfig): PeerOptions | undefined {
  const isAsked = Object.entries(flags).some(([name, value]) => name.startsWith("p2p.") && value !== undefined);
  const wanted = flags.p2p ?? !isForDevelopment(network);
  if (flags.p2p === false || !(wanted || isAsked)) {
    const isSnapshot = flags["sync.mode"] !== "full";
    if (!isSnapshot && flags["sync.checkpoint"] === undefined) return undefined;
    const option = isSnapshot ? "--sync.mode" : "--sync.checkpoint";
    throw new CliError({ code: "INVALID_OPTION", option, expected: "--p2p with it" });
  }
  const defaults = peerDefaults(network);
  const port = flags["p2p.port"] === undefined ? defaults.port : parseNumber("--p2p.port", flags["p2p.port"], 65535);
  const banned = words(flags["p2p.banned"]);
  return {
    listen: (words(flags["p2p.host"]) ?? defaults.hosts).map((host) => tcpAddress(host, port)),
    announce: words(flags["p2p.announce"]) ?? [],
    bootNodes: words(flags["p2p.bootnodes"]) ?? [],
    discovery: !flags["p2p.static"],
    natTraversal: flags["p2p.nat"] ?? false,
    limits: peerLimits(flags, defaults.limits),
    trustedPeers: words(flags["p2p.trusted"]) ?? [],
    bannedPeers: banned?.filter((text) => !isAddress(text)) ?? [],
    bannedAddresses: banned?.filter(isAddress) ?? [],
    checkpoint: parseCheckpoint(flags["sync.checkpoint"]),
    syncMode: flags["sync.mode"] === "snapshot" ? "snapshot" : "full",
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

function words(text: string | undefined): string[] | undefined {
  return text?.split(/\s+/).filter((word) => word.length > 0);
}

/** Peer ids have neither dots nor colons. */
function isAddress(text: string): boolean {
  return /[.:]/.test(text);
}

function tcpAddress(host: string, port: number): string {
  return `/${host.includes(":") ? "ip6" : "ip4"}/${host}/tcp/${port}`;
}

function parseCheckpoint(text: string | undefined): Checkpoint | undefined {
  if (text === undefined) return undefined;
  const match = /^(\d{1,15}):(?:0x)?([0-9a-fA-F]{64})$/.exec(text);
  if (match === null) {
    throw new CliError({ code: "INVALID_OPTION", option: "--sync.checkpoint", expected: "number:hash" });
  }
  return { number: Number(match[1]), hash: fromHex(match[2]!) };
}
