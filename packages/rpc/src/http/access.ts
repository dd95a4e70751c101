import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { echo, RPC_CODES } from "@cambium/api";
import { hostOfIp, isLoopback, networkOfIp, parseIp } from "@cambium/primitives";
import type { RpcConfig } from "../config.js";
import type { KeyedClient } from "../keys/keyed-client.js";
import { requiresKeys } from "../own-host.js";
import { type AcceptedKey, keyLookup } from "./api-key.js";
import { isCodingAccepted } from "./body-decoding.js";
import { createHostCheck } from "./host-check.js";
import { allowedOrigins, originAllowed } from "./origins.js";
import { createOwnPageCheck } from "./own-page.js";
import { sendBody } from "./response.js";
import { trustedProxies } from "./trusted-proxies.js";

const JSON_TYPE = "application/json";
const UTF_8 = /^charset="?utf-?8"?$/;
const CONTENT_TYPES: readonly string[] = [JSON_TYPE, "application/json-rpc"];

/** Parts of a request, besides the body, that determine access and the answer. */
export type RequestHead = Pick<IncomingMessage, "method" | "url" | "headers">;

interface Refusal {
  status: number;
  body: string;
}

/** Returns the reason why a request is not served. */
export type AccessCheck = (request: RequestHead) => Refusal | undefined;

/** Whether a request may be served; if not, answers it. */
export function isAllowed(check: AccessCheck, request: RequestHead, response: ServerResponse): boolean {
  const refusal = check(request);
  if (refusal !== undefined) sendBody(response, refusal.status, ["content-type", JSON_TYPE], refusal.body);
  return refusal === undefined;
}

function refusal(status: number, message: string): Refusal {
  const error = { code: RPC_CODES.SERVER_ERROR, message };
  return { status, body: JSON.stringify({ jsonrpc: "2.0", id: null, error }) };
}

const KEY_REFUSED = refusal(401, "missing or invalid API key");
const TYPE_REFUSED = refusal(415, "send the request with Content-Type: application/json (charset utf-8)");
const CODING_REFUSED = refusal(415, "send the request without Content-Encoding, or with Content-Encoding: gzip");

/**
 * Creates the check of host, origin, API key and content type of every request, WebSocket upgrades included, before its
 * body is read (`spec/09 §1.1` to `§1.4`). `host` is the address that the listener binds to. Throws
 * {@link RpcServerError} `INVALID_CONFIGURATION` if an origin is malformed.
 */
export function createAccessCheck({ http, auth }: RpcConfig, host: string): AccessCheck {
  const isOwnPage = createOwnPageCheck({ http: { ...http, host }, auth });
  const needsKey = requiresKeys(auth);
  const lookUp = keyLookup(auth);
  const hostAccepted = needsKey ? () => true : createHostCheck({ ...http, host });
  const origins = allowedOrigins(http);
  return ({ headers, method, url = "" }) => {
    const { host: name, origin } = headers;
    const isPost = method === "POST";
    if (!hostAccepted(name)) {
      return refusal(403, `the host ${echo(name)} is not accepted; start the node with --http.hosts to add its name`);
    }
    if (!originAllowed(origins, origin) && !isOwnPage(headers)) {
      return refusal(403, `the origin ${echo(origin)} is not accepted; start the node with --http.cors to add it`);
    }
    if (needsKey && lookUp(url) === undefined) return KEY_REFUSED;
    if (isPost && !isJson(headers["content-type"])) return TYPE_REFUSED;
    if (isPost && !isCodingAccepted(headers)) return CODING_REFUSED;
    return undefined;
  };
}

const REVOKED: AcceptedKey = {
  identity: "revoked",
  managed: { name: "revoked", digest: "", methods: [], created: 0 },
};

/** Clients without keys, by connection. */
const connected = new WeakMap<Socket, KeyedClient>();

/** The client of a request: its API key, or its address if no keys are configured. */
export function clientOf(
  { url = "", socket, headers }: Pick<IncomingMessage, "url" | "socket" | "headers">,
  { auth, http }: RpcConfig,
): KeyedClient {
  if (requiresKeys(auth)) {
    // A key that is revoked while its request arrives has no rights.
    const { identity, managed } = keyLookup(auth)(url) ?? REVOKED;
    return { identity, share: identity, keyName: managed?.name ?? `file:${identity.slice(0, 8)}`, key: managed };
  }
  const { remoteAddress = "" } = socket;
  const proxies = trustedProxies(http);
  // Over one connection of a proxy, each request may come from another client.
  if (proxies?.has(remoteAddress)) return clientWith(proxies.clientBehind(remoteAddress, headers["x-forwarded-for"]));
  let client = connected.get(socket);
  if (client === undefined) {
    client = clientAt(socket);
    connected.set(socket, client);
  }
  return client;
}

/** Programs on this machine, or behind a proxy on it, share an address: their connections distinguish them. */
function clientAt({ remoteAddress = "", remotePort }: Socket): KeyedClient {
  const ip = parseIp(remoteAddress);
  const identity = hostOfIp(remoteAddress);
  if (ip !== undefined && isLoopback(ip)) return { identity, share: `${identity} ${remotePort}` };
  return clientWith(remoteAddress);
}

function clientWith(address: string): KeyedClient {
  const identity = hostOfIp(address);
  return { identity, share: identity, network: networkOfIp(address) };
}

/** Whether the media type before `;` is JSON, in any case (`spec/09 §1.1`), and its charset UTF-8 if there is one. */
function isJson(contentType: string | undefined): boolean {
  if (contentType === JSON_TYPE) return true;
  if (contentType === undefined) return false;
  const [type, ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase());
  return CONTENT_TYPES.includes(type!) && parameters.every((one) => !one.startsWith("charset=") || UTF_8.test(one));
}
