import { isIP, isIPv6, SocketAddress } from "node:net";

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

/** Undefined unless it is a literal address: names are not resolved. */
export function parseIp(text: string): Ip | undefined {
  if (isIP(text) === 0) return undefined;
  if (!isIPv6(text)) return ofIpv4(bytesOfIpv4(text));
  const address = text.replace(/%.*$/, "");
  const bytes = bytesOfIpv6(address);
  if (Buffer.from(bytes).toString("hex").startsWith(MAPPED_PREFIX)) return ofIpv4(bytes.subarray(12));
  return { bytes, text: new SocketAddress({ address, family: "ipv6" }).address };
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

/** 16-bit numbers; the last two may be written as an IPv4 address. */
function groups(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return Number.parseInt(group, 16);
    const [a, b, c, d] = bytesOfIpv4(group) as unknown as [number, number, number, number];
    return [(a << 8) | b, (c << 8) | d];
  });
}
