import cors from "@fastify/cors";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RpcConfig } from "../config.js";
import type { Budgets } from "../connections/client-connection.js";
import { ConnectionTable } from "../connections/connection-table.js";
import type { ClientRateLimiter } from "../rate-limit/client-rate-limiter.js";
import type { Caller, Dispatcher } from "../requests/dispatcher.js";
import { addAccessChecks, clientOf } from "./access.js";
import { gzipped, worthCompressing } from "./compression.js";
import { createApp, type ListeningAddress, listen } from "./listener.js";
import { allowedOrigins } from "./origins.js";

const JSON_TYPE = "application/json";
const METHODS = "POST, OPTIONS";

/** HTTP server of `spec/09 §1.1` to `§1.3` for a dispatcher. */
export class HttpServer {
  /** The application; WebSocket adds its routes if it shares the listener. */
  readonly app: FastifyInstance;
  readonly table: ConnectionTable;
  private closing = false;
  private underWay = 0;
  private onDone: (() => void) | undefined;

  /** Throws {@link RpcError} `INVALID_CONFIGURATION` if an origin is malformed. */
  constructor(
    private readonly config: RpcConfig,
    private readonly dispatcher: Dispatcher,
    private readonly limiter: ClientRateLimiter,
    budgets: Budgets,
  ) {
    const limits = { maximum: config.http.maxConnections, perClient: config.connections.perClient };
    this.table = new ConnectionTable(limits, budgets);
    this.app = createApp(config.http, this.table);
    this.countRequests();
    addAccessChecks(this.app, config, config.http.host);
    this.addCors();
    this.addRoutes();
  }

  /** Starts listening. Rejects with {@link RpcError} `LISTEN_FAILED` if the address cannot be bound. */
  listen(): Promise<ListeningAddress> {
    return listen(this.app, this.config.http);
  }

  /** Stops accepting connections, waits for in-flight requests up to the time limit, then closes every connection. */
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
    // A request that was upgraded to WebSocket never ends.
    const counts = (request: FastifyRequest) => request.headers.upgrade === undefined;
    this.app.addHook("onRequest", (request, reply, next) => {
      if (counts(request)) this.underWay++;
      if (this.closing) reply.header("connection", "close");
      next();
    });
    this.app.addHook("onResponse", (request, _reply, next) => {
      if (counts(request) && --this.underWay === 0) this.onDone?.();
      next();
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
    // Requests that fail before JSON-RPC: too large, aborted, malformed HTTP.
    this.app.setErrorHandler((error: { statusCode?: number }, _request, reply) => {
      reply.code(error.statusCode ?? 500).send();
    });
  }

  private callerOf(request: FastifyRequest): Caller {
    const { exchange } = request;
    const client = clientOf(request, this.config);
    const isAwaited = () => exchange.isAwaited();
    return { admit: this.limiter.admission(client.identity), signal: exchange.signal, isAwaited, client };
  }

  private async answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const text = (request.body as string | undefined) ?? "";
    const { status, body, retryAfter } = await this.dispatcher.handleText(text, this.callerOf(request));
    reply.code(status);
    if (retryAfter !== undefined) reply.header("retry-after", Math.ceil(retryAfter / 1000));
    if (body === undefined) return reply.send();
    if (!request.exchange.holdUnsent(body.length)) return reply.code(503).header("connection", "close").send();
    // Without a serializer, fastify would change the content type.
    reply.type(JSON_TYPE).header("vary", "Accept-Encoding").serializer(unchanged);
    if (!worthCompressing(body, request.headers["accept-encoding"])) return reply.send(body);
    return reply.header("content-encoding", "gzip").send(await gzipped(body));
  }
}

function unchanged(text: string): string {
  return text;
}
