import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** First port, below the range from which systems choose ports of outgoing connections. */
const FIRST = 20_000;
const LAST = 32_000;
const HOST = "127.0.0.1";

/** Ports of earlier calls, which nodes may not have opened yet. */
const taken = new Set<number>();

/**
 * The first of `count` consecutive ports that are free for TCP, and the first of them for UDP. No later call returns
 * them again.
 */
export async function freePorts(count = 1): Promise<number> {
  for (;;) {
    const first = randomInt(FIRST, LAST);
    const ports = Array.from({ length: count }, (_, i) => first + i);
    if (ports.some((port) => taken.has(port))) continue;
    for (const port of ports) taken.add(port);
    if ((await Promise.all([isFreeUdp(first), ...ports.map(isFreeTcp)])).every(Boolean)) return first;
  }
}

async function isFreeTcp(port: number): Promise<boolean> {
  const server: Server = createServer();
  server.listen(port, HOST);
  return settles(once(server, "listening"), () => server.close());
}

async function isFreeUdp(port: number): Promise<boolean> {
  const socket = createSocket("udp4");
  socket.bind(port, HOST);
  return settles(once(socket, "listening"), () => socket.close());
}

async function settles(listening: Promise<unknown>, close: () => void): Promise<boolean> {
  try {
    await listening;
    close();
    return true;
  } catch {
    return false;
  }
}
