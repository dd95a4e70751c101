import type { Server } from "node:http";
import type { Duplex } from "node:stream";

/**
 * Closes connections whose client asks for an upgrade before it has received the responses to its earlier requests, once
 * these are sent. fastify neither answers such an upgrade nor closes the connection, which Node.js no longer watches.
 */
export function closeEarlyUpgrades(server: Server): void {
  const unanswered = new WeakMap<Duplex, number>();
  const early = new WeakSet<Duplex>();
  server.on("request", ({ socket }, response) => {
    unanswered.set(socket, (unanswered.get(socket) ?? 0) + 1);
    response.once("close", () => {
      const left = unanswered.get(socket)! - 1;
      unanswered.set(socket, left);
      if (left === 0 && early.has(socket)) socket.destroySoon();
    });
  });
  server.on("upgrade", (_request, socket) => {
    if (!unanswered.get(socket)) return;
    early.add(socket);
    // The server's time limit for responses that are not read no longer applies by itself.
    socket.once("timeout", () => socket.destroy());
  });
}
