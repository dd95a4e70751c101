import type { AddressInfo } from "node:net";
import cors from "@fastify/cors";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import type { RpcConfig } from "../config.js";
import type { Dispatcher } from "../dispatcher.js";
import { RPC_CODES, RpcError } from "../errors.js";
import { createKeyCheck } from "./api-key.js";
import { gzipped, worthCompressing } from "./compression.js";
import { createHostCheck } from "./host-check.js";
import { allowedOrigins, originAllowed } from "./origins.js";

const JSON_TYPE = "application/json";
const CONTENT_TYPES: readonly string[] = [JSON_TYPE, "application/json-rpc"];
const METHODS = "POST, OPTIONS";

const KEY_REFUSED = JSON.stringify({
  jsonrpc: "2.0",
  id: null,
  error: { code: RPC_CODES.SERVER_ERROR, message: "missing or invalid API key" },
});

export interface ListeningAddress {
  host: string;
  port: number;
}

/** The HTTP listener of `spec/09 §1.1` to `§1.3` in front of a dispatcher. */
export class HttpServer {
  private readonly app: FastifyInstance;
  private closing = false;
  private underWay = 0;
  private onDone: (() => void) | undefined;

  /** Throws {@link RpcError} `INVALID_CONFIGURATION`. */
  constructor(
    private readonly config: RpcConfig,
    private readonly dispatcher: Dispatcher,
  ) {
    this.app = createApp(config);
    this.countRequests();
    this.addChecks();
    this.addCors();
    this.addRoutes();
  }

  /** Throws {@link RpcError} `LISTEN_FAILED`. */
  async listen(): Promise<ListeningAddress> {
    const { host, port } = this.config.http;
    try {
      await this.app.listen({ host, port });
    } catch (error) {
      throw new RpcError({ code: "LISTEN_FAILED", host, port, reason: (error as Error).message }, { cause: error });
    }
    const address = this.app.server.address() as AddressInfo;
    return { host: address.address, port: address.port };
  }

  /** Stops taking connections, lets requests under way finish for a while, then ends every connection. */
  async close(): Promise<void> {
    this.closing = true;
    const closed = this.app.close();
    await this.requestsDone(this.config.http.closeTimeout);
    this.app.server.closeAllConnections();
    await closed;
  }

  private requestsDone(timeout: number): Promise<void> {
    if (this.underWay === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeout);
      this.onDone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private countRequests(): void {
    this.app.addHook("onRequest", (_request, reply, next) => {
      this.underWay++;
      if (this.closing) reply.header("connection", "close");
      next();
    });
    this.app.addHook("onResponse", (_request, _reply, next) => {
      if (--this.underWay === 0) this.onDone?.();
      next();
    });
  }

  /** Host, origin, key and content type, before anything of the body is read. */
  private addChecks(): void {
    const { http, auth } = this.config;
    const keyAccepted = createKeyCheck(auth.keys);
    const hostAccepted = auth.keys.length > 0 ? () => true : createHostCheck(http);
    const origins = allowedOrigins(http);
    this.app.addHook("onRequest", (request, reply, next) => {
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

  private addCors(): void {
    const origin = allowedOrigins(this.config.http);
    this.app.register(cors, {
      origin: origin === "*" ? origin : [...origin],
      methods: METHODS,
      allowedHeaders: "Content-Type, Accept",
      maxAge: 600,
      strictPreflight: false,
    });
  }

  private addRoutes(): void {
    this.app.post("/*", (request, reply) => this.answer(request, reply));
    this.app.setNotFoundHandler((_request, reply) => reply.code(405).header("allow", METHODS).send());
    // requests that never become JSON-RPC: too large, broken off, not HTTP
    this.app.setErrorHandler((error: { statusCode?: number }, _request, reply) => {
      reply.code(error.statusCode ?? 500).send();
    });
  }

  private async answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { status, body } = await this.dispatcher.handleText((request.body as string | undefined) ?? "");
    reply.code(status);
    if (body === undefined) return reply.send();
    // the serializer keeps the text and, unlike none, the content type as they are
    reply.type(JSON_TYPE).header("vary", "Accept-Encoding").serializer(unchanged);
    if (!worthCompressing(body, request.headers["accept-encoding"])) return reply.send(body);
    return reply.header("content-encoding", "gzip").send(await gzipped(body));
  }
}

function unchanged(text: string): string {
  return text;
}

function createApp({ http }: RpcConfig): FastifyInstance {
  const app = fastify({
    bodyLimit: http.maxBodyBytes,
    keepAliveTimeout: http.keepAliveTimeout,
    requestTimeout: http.receiveTimeout,
    forceCloseConnections: "idle",
    exposeHeadRoutes: false,
    // a request without a Host header is served (`spec/09 §1.3`)
    http: { requireHostHeader: false },
  });
  app.server.maxConnections = http.maxConnections;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  return app;
}

/** The part before `;`, in any case (`spec/09 §1.1`). */
function isJson(contentType: string | undefined): boolean {
  if (contentType === JSON_TYPE) return true;
  return contentType !== undefined && CONTENT_TYPES.includes(contentType.split(";", 1)[0]!.trim().toLowerCase());
}
