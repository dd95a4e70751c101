import { type Multiaddr, multiaddr } from "@multiformats/multiaddr";
import { NetworkingError } from "../../errors.js";
import type { PeerAddress, PeerId } from "../../interface.js";
import { type Ip, parseIp } from "../../ip.js";

/** Throws {@link NetworkingError} `INVALID_OPTION`. */
export function parseMultiaddr(text: string, option: string): Multiaddr {
  try {
    return multiaddr(text);
  } catch (error) {
    throw new NetworkingError(
      { code: "INVALID_OPTION", option, reason: `${text}: ${reasonOf(error)}` },
      { cause: error },
    );
  }
}

/** An address that ends in a peer id. Throws {@link NetworkingError} `INVALID_OPTION`. */
export function parsePeerMultiaddr(text: string, option: string): { address: Multiaddr; peer: PeerId } {
  const address = parseMultiaddr(text, option);
  const peer = peerOf(address);
  if (peer !== undefined) return { address, peer };
  throw new NetworkingError({ code: "INVALID_OPTION", option, reason: `${text} does not end in /p2p/<peer id>` });
}

/** The peer id in an address; undefined if there is none. */
export function peerOf(address: Multiaddr): PeerId | undefined {
  return address.getComponents().findLast(({ name }) => name === "p2p")?.value;
}

/** The IP address and port; undefined for DNS names. */
export function placeOf(address: Multiaddr): PeerAddress | undefined {
  const components = address.getComponents();
  const ip = parseIp(components.find(({ name }) => name === "ip4" || name === "ip6")?.value ?? "");
  const port = components.find(({ name }) => name === "tcp")?.value;
  return ip === undefined || port === undefined ? undefined : { ip: ip.text, port: Number(port) };
}

/** Key of an IPv4 address or of the /64 of an IPv6 address, which belongs to a single host. */
export function hostOf(ip: string): string {
  return prefixOf(ip, 4, 8);
}

/** Key of the /16 of an IPv4 address or the /32 of an IPv6 address (`spec/07 §D.5`). */
export function subnetOf(ip: string): string {
  return prefixOf(ip, 2, 4);
}

function prefixOf(ip: string, ipv4Bytes: number, ipv6Bytes: number): string {
  const bytes = parseIp(ip)?.bytes;
  if (bytes === undefined) return ip;
  return Buffer.from(bytes.subarray(0, bytes.length === 4 ? ipv4Bytes : ipv6Bytes)).toString("hex");
}

/** Whether an address is globally reachable. */
export function isPublic(ip: string): boolean {
  const parsed = parseIp(ip);
  return parsed !== undefined && !(parsed.bytes.length === 4 ? isPrivateIpv4(parsed) : isPrivateIpv6(parsed));
}

function isPrivateIpv4({ bytes }: Ip): boolean {
  const [a, b] = bytes as unknown as [number, number];
  if (a === 0 || a === 10 || a === 127 || a >= 224) return true;
  if (a === 100) return b >= 64 && b < 128;
  if (a === 169) return b === 254;
  if (a === 172) return b >= 16 && b < 32;
  return a === 192 && b === 168;
}

/** Everything but 2000::/3, the global unicast range. */
function isPrivateIpv6({ bytes }: Ip): boolean {
  return (bytes[0]! & 0xe0) !== 0x20;
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
