import { isLoopback, parseIp } from "@cambium/primitives";

/** Whether only programs on this machine can connect to a listening address. */
export function isOwnHost(host: string): boolean {
  const ip = parseIp(host);
  return ip === undefined ? host.toLowerCase() === "localhost" : isLoopback(ip);
}
