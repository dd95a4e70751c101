import type { Socket } from "node:net";
import { hostOfIp, isLoopback, networkOfIp, parseIp } from "@cambium/primitives";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { RpcConfig } from "../config.js";
import { RPC_CODES } from "../errors.js";
import type { Client } from "../requests/client.js";
import { createKeyCheck, keyIdentity } from "./api-key.js";
import { createHostCheck } from "./host-check.js";
import { allowedOrigins, originAllowed } from "./origins.js";

const JSON_TYPE = "application/json";
const CONTENT_TYPES: readonly string[] = [JSON_TYPE, "application/json-rpc"];

const KEY_REFUSED = JSON.stringify({
  jsonrpc: "2.0",
  id: null,
  error: { code: RPC_CODES.SERVER_ERROR, message: "missing or invalid API key" },
});

/**
 * Checks host, origin, API key and content type of every request, WebSocket upgrades included, before its body is read
 * (`spec/09 §1.1` to `§1.4`). `host` is the address that the listener binds to.
 * Throws {@link RpcError} `INVALID_CONFIGURATION` if an origin is malformed.
 */
export function addAccessChecks(app: FastifyInstance, { http, auth }: RpcConfig, host: string): void {
  const keyAccepted = createKeyCheck(auth.keys);
  const hostAccepted = auth.keys.length > 0 ? () => true : createHostCheck({ ...http, host });
  const origins = allowedOrigins(http);
  app.addHook("onRequest", (request, reply, next) => {
    if (!hostAccepted(request.headers.host) || !originAllowed(origins, request.headers.origin)) {
      reply.code(403).send();
    } else if (!keyAccepted(request.url)) {
      reply.code(401).type(JSON_TYPE).send(Buffer.from(KEY_REFUSED));
    } else if (request.method === "POST" && !isJson(request.headers["content-type"])) {
      reply.code(415).send();
    } else {
      next();
    }
  });
}

/** Clients without keys, by connection. */
const connected = new WeakMap<Socket, Client>();

/** The client of a request: its API key, or its address if no keys are configured. */
export function clientOf({ url, socket }: FastifyRequest, { auth }: RpcConfig): Client {
  if (auth.keys.length > 0) {
    const identity = keyIdentity(url);
    return { identity, share: identity };
  }
  let client = connected.get(socket);
  if (client === undefined) {
    client = clientAt(socket);
    connected.set(socket, client);
  }
  return client;
}

/** Programs on this machine, or behind a proxy on it, share one by one: by their connection. */
function clientAt({ remoteAddress = "", remotePort }: Socket): Client {
  const ip = parseIp(remoteAddress);
  const identity = hostOfIp(remoteAddress);
  if (ip !== undefined && isLoopback(ip)) return { identity, share: `${identity} ${remotePort}` };
  return { identity, share: identity, network: networkOfIp(remoteAddress) };
}

/** Whether the media type before `;` is JSON, in any case (`spec/09 §1.1`). */
function isJson(contentType: string | undefined): boolean {
  if (contentType === JSON_TYPE) return true;
  return contentType !== undefined && CONTENT_TYPES.includes(contentType.split(";", 1)[0]!.trim().toLowerCase());
}
