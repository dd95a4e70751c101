/** A place to which packets are sent. */
export interface UdpAddress {
  /** Normalized, as by `parseIp`. */
  ip: string;
  udpPort: number;
}

/** Key in maps. */
export function addressKey({ ip, udpPort }: UdpAddress): string {
  return `${ip} ${udpPort}`;
}
