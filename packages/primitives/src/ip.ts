import { isIP, SocketAddress } from "node:net";

/** Prefix of an IPv4-mapped IPv6 address. */
const MAPPED_PREFIX = "00000000000000000000ffff";

/**
 * An address: 4 or 16 bytes, and a normalized text. IPv4-mapped IPv6 addresses become IPv4; a zone (`%eth0`) is
 * removed.
 */
export interface Ip {
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** Parses a literal address; returns undefined for anything else. Names are not resolved. */
export function parseIp(text: string): Ip | undefined {
  const version = isIP(text);
  if (version === 0) return undefined;
  if (version === 4) return ofIpv4(bytesOfIpv4(text));
  const address = text.replace(/%.*$/, "");
  const bytes = bytesOfIpv6(address);
  if (Buffer.from(bytes).toString("hex").startsWith(MAPPED_PREFIX)) return ofIpv4(bytes.subarray(12));
  return { bytes, text: new SocketAddress({ address, family: "ipv6" }).address };
}

/** `<host>:<port>` as in URLs, where IPv6 addresses have brackets. */
export function authority({ host, port }: { host: string; port: number }): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Whether it is a loopback address. */
export function isLoopback({ bytes }: Ip): boolean {
  if (bytes.length === 4) return bytes[0] === 127;
  return bytes[15] === 1 && isZero(bytes.subarray(0, 15));
}

/** Whether it is `0.0.0.0` or `::`. */
export function isUnspecified({ bytes }: Ip): boolean {
  return isZero(bytes);
}

/** Key of an IPv4 address or of the /64 of an IPv6 address, which belongs to a single host. */
export function hostOfIp(ip: string): string {
  return prefixOf(ip, 4, 8);
}

/** Key of the /24 of an IPv4 address or the /48 of an IPv6 address, which often belongs to a single customer. */
export function networkOfIp(ip: string): string {
  return prefixOf(ip, 3, 6);
}

/** Key of the /16 of an IPv4 address or the /32 of an IPv6 address (`spec/07 §D.5`). */
export function subnetOfIp(ip: string): string {
  return prefixOf(ip, 2, 4);
}

function prefixOf(ip: string, ipv4Bytes: number, ipv6Bytes: number): string {
  const bytes = parseIp(ip)?.bytes;
  if (bytes === undefined) return ip;
  return Buffer.from(bytes.subarray(0, bytes.length === 4 ? ipv4Bytes : ipv6Bytes)).toString("hex");
}

/** Whether an address is globally reachable. */
export function isPublicIp(ip: string): boolean {
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

/** Whether an address is outside of 2000::/3, the global unicast range. */
function isPrivateIpv6({ bytes }: Ip): boolean {
  return (bytes[0]! & 0xe0) !== 0x20;
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

function ofIpv4(bytes: Uint8Array): Ip {
  return { bytes, text: bytes.join(".") };
}

function bytesOfIpv4(text: string): Uint8Array {
  return Uint8Array.from(text.split("."), Number);
}

function bytesOfIpv6(text: string): Uint8Array {
  const [head, tail] = text.split("::").map(groups) as [number[], number[]?];
  const missing = 8 - head.length - (tail?.length ?? 0);
  const all = [...head, ...new Array<number>(missing).fill(0), ...(tail ?? [])];
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

/** Returns 16-bit numbers; the last two may be written as an IPv4 address. */
function groups(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return Number.parseInt(group, 16);
    const [a, b, c, d] = bytesOfIpv4(group) as unknown as [number, number, number, number];
    return [(a << 8) | b, (c << 8) | d];
  });
}
