import { equalBytes, type Ip, isLoopback, isUnspecified, parseIp } from "@cambium/primitives";
import { NetworkingError } from "../errors.js";

/** The addresses that begin with the same bits, or a single address (`spec/07 §C.4`). */
export interface AddressBlock {
  /** Text of the operator, not masked: `<address>` or `<address>/<bits>`. */
  readonly text: string;
  readonly ip: Ip;
  /** Number of bits; undefined for a single address. */
  readonly bits: number | undefined;
}

/** Parses an address or block. Throws {@link NetworkingError} `INVALID_ADDRESS`. */
export function parseAddressBlock(text: string): AddressBlock {
  const [left, right, ...others] = text.replace(/\/+$/, "").split("/");
  // Text that ends in a slash is not a block; it is rejected as an address.
  const isBlock = left !== "" && right !== undefined && right !== "" && others.length === 0;
  if (!isBlock) return { text: text.trim(), ip: parseRemoteAddress(text, text), bits: undefined };
  const ip = parseRemoteAddress(left!, text);
  const bits = /^\d{1,3}$/.test(right) ? Number(right) : 0;
  if (bits === 0 || bits > ip.bytes.length * 8) {
    throw new NetworkingError({ code: "INVALID_ADDRESS", text, reason: "invalid mask" });
  }
  return { text: `${left!.trim()}/${bits}`, ip, bits };
}

function parseRemoteAddress(address: string, text: string): Ip {
  const ip = parseIp(address.trim());
  if (ip === undefined) throw new NetworkingError({ code: "INVALID_ADDRESS", text, reason: "it is not an IP address" });
  if (isLoopback(ip) || isUnspecified(ip)) {
    throw new NetworkingError({ code: "INVALID_ADDRESS", text, reason: "it is an address of this machine" });
  }
  return ip;
}

export function contains({ ip, bits }: AddressBlock, { bytes }: Ip): boolean {
  if (bytes.length !== ip.bytes.length) return false;
  const compared = bits ?? bytes.length * 8;
  const whole = compared >> 3;
  if (!equalBytes(bytes.subarray(0, whole), ip.bytes.subarray(0, whole))) return false;
  const rest = compared & 7;
  return rest === 0 || (bytes[whole]! ^ ip.bytes[whole]!) >> (8 - rest) === 0;
}

/**
 * Whether two blocks are the same entry. The reference client ignores the number of whole bytes, and so loses a second
 * block of the same address; this node compares it.
 */
export function isSameBlock(one: AddressBlock, other: AddressBlock): boolean {
  return one.bits === other.bits && equalBytes(one.ip.bytes, other.ip.bytes);
}
