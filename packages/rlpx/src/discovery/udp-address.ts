/** Destination of UDP packets. */
export interface UdpAddress {
  /** IP address, normalized as by `parseIp`. */
  ip: string;
  udpPort: number;
}

/** Key in maps. */
export function addressKey({ ip, udpPort }: UdpAddress): string {
  return `${ip} ${udpPort}`;
}
