import { equalBytes } from "@cambium/primitives";
import { NetworkingError } from "../errors.js";
import { type Ip, isLoopback, isUnspecified, parseIp } from "./ip.js";

/** All addresses that begin with the same bits; a single address when it is all of them (`spec/07 §C.4`). */
export interface AddressBlock {
  /** As operators wrote it, not masked: `<address>` or `<address>/<bits>`. */
  readonly text: string;
  readonly ip: Ip;
  /** Undefined for a single address. */
  readonly bits: number | undefined;
}

/** Throws {@link NetworkingError} `INVALID_ADDRESS`. */
export function parseAddressBlock(text: string): AddressBlock {
  const [left, right, ...others] = text.replace(/\/+$/, "").split("/");
  // one part only, also where a slash ends the text: then the slash is part of what is no address
  const isBlock = left !== "" && right !== undefined && right !== "" && others.length === 0;
  if (!isBlock) return { text: text.trim(), ip: parseOwnersAddress(text, text), bits: undefined };
  const ip = parseOwnersAddress(left!, text);
  const bits = /^\d{1,3}$/.test(right) ? Number(right) : 0;
  if (bits === 0 || bits > ip.bytes.length * 8) {
    throw new NetworkingError({ code: "INVALID_ADDRESS", text, reason: "invalid mask" });
  }
  return { text: `${left!.trim()}/${bits}`, ip, bits };
}

function parseOwnersAddress(address: string, text: string): Ip {
  const ip = parseIp(address.trim());
  if (ip === undefined) throw new NetworkingError({ code: "INVALID_ADDRESS", text, reason: "not an IP address" });
  if (isLoopback(ip) || isUnspecified(ip)) {
    throw new NetworkingError({ code: "INVALID_ADDRESS", text, reason: "an address of this machine" });
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
 * Whether two texts name the same entry. The reference leaves the number of whole bytes out, so that a second block of
 * the same address is lost; here it counts.
 */
export function isSameBlock(one: AddressBlock, other: AddressBlock): boolean {
  return one.bits === other.bits && equalBytes(one.ip.bytes, other.ip.bytes);
}
