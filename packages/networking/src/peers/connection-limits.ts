import { hostOfIp, subnetOfIp } from "@cambium/primitives";
import type { Peer } from "../interface.js";
import type { PeerLimits } from "../options.js";

/** A connection that counts: those of trusted peers do not. */
export interface CountedConnection {
  direction: Peer["direction"];
  ip: string;
}

/** Whether inbound peers occupy all places that are not reserved (`spec/07 §D.5`). */
export function isFull(connections: readonly CountedConnection[], { maximum, minimumOutbound }: PeerLimits): boolean {
  if (connections.length >= maximum) return true;
  return count(connections, ({ direction }) => direction === "inbound") >= maximum - minimumOutbound;
}

/**
 * Whether the host or subnet of an address has as many connections as allowed. For outbound peers only outbound
 * connections count: inbound peers must not prevent dialling within their subnet.
 */
export function isCrowded(
  connections: readonly CountedConnection[],
  { ip, direction }: CountedConnection,
  { perAddress, perSubnet }: PeerLimits,
): boolean {
  const counted = direction === "inbound" ? connections : connections.filter((one) => one.direction === "outbound");
  const host = hostOfIp(ip);
  if (count(counted, (one) => hostOfIp(one.ip) === host) >= perAddress) return true;
  const subnet = subnetOfIp(ip);
  return count(counted, (one) => subnetOfIp(one.ip) === subnet) >= perSubnet;
}

function count(connections: readonly CountedConnection[], matches: (one: CountedConnection) => boolean): number {
  return connections.reduce((total, one) => (matches(one) ? total + 1 : total), 0);
}
