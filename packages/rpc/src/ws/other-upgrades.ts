import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";

export function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket";
}

/**
 * Serves a request for another upgrade as if it had requested none (RFC 9110, section 7.8), such as the upgrade to
 * HTTP/2 that Java's client adds. Node.js has stopped reading it: the server reads it again, as that of a new
 * connection.
 */
export function serveWithoutUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (!/^(upgrade|connection|http2-settings)$/i.test(name)) lines.push(`${name}: ${rawHeaders[i + 1]}`);
  }
  // Node.js represents each received byte as one character.
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  server.emit("connection", socket);
}
