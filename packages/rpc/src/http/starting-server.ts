import type { IncomingMessage, ServerResponse } from "node:http";
import type { RpcConfig } from "../config.js";
import { servesDashboard } from "../own-host.js";
import { type ListeningAddress, listen, stopListening } from "./listener.js";
import { createSideServer } from "./side-server.js";

export interface StartingServer {
  address: ListeningAddress;
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 50;
/** Seconds after which the page and other clients ask again. */
const RETRY = 2;

/**
 * Serves at the address of JSON-RPC until there is a chain: a page with the progress of the start if the dashboard is
 * served, and an error for all other requests. Rejects with {@link RpcServerError} `LISTEN_FAILED`.
 */
export async function serveStarting(config: RpcConfig, progress: () => string): Promise<StartingServer> {
  const hasPage = servesDashboard(config);
  const limits = { ...config.http, maxConnections: MAX_CONNECTIONS };
  const server = createSideServer(limits, (request, response) => {
    if (hasPage && isOfPage(request)) sendPage(response, progress());
    else refuse(response, progress());
  });
  const address = await listen(server, config.http);
  return {
    address,
    close: () => {
      const closed = stopListening(server);
      server.closeAllConnections();
      return closed;
    },
  };
}

function isOfPage({ method, url = "", headers }: IncomingMessage): boolean {
  const isRoot = url === "/" && headers.accept?.includes("text/html") === true;
  return method === "GET" && (isRoot || /^\/dashboard\/?$/.test(url));
}

function sendPage(response: ServerResponse, text: string): void {
  response.writeHead(200, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
    // The first request after the start must not come over this connection.
    connection: "close",
  });
  response.end(`<!doctype html>
<html lang="en">
<head>
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="${RETRY}">
<title>Cambium is starting</title>
</head>
<body>
<h1>The node is starting</h1>
<p>${escaped(text)}</p>
<p>The dashboard appears here as soon as the node serves.</p>
</body>
</html>
`);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function refuse(response: ServerResponse, text: string): void {
  const error = { code: -32000, message: `the node is starting: ${text}` };
  response.writeHead(503, { "content-type": "application/json", "retry-after": `${RETRY}`, connection: "close" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
}
