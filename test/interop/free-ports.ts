import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** First port, below the range from which systems choose ports of outgoing connections. */
const FIRST = 20_000;
const LAST = 32_000;
const HOST = "127.0.0.1";

/** Returns the first of `count` consecutive ports that are free for TCP; the first of them is also free for UDP. */
export async function freePorts(count = 1): Promise<number> {
  for (;;) {
    const first = randomInt(FIRST, LAST);
    const checks = Array.from({ length: count }, (_, i) => isFreeTcp(first + i));
    if ((await Promise.all([isFreeUdp(first), ...checks])).every(Boolean)) return first;
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
