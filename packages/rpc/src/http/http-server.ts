import { isUtf8 } from "node:buffer";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { invalidRequest, nextTurn } from "@cambium/api";
import type { Logger } from "@cambium/primitives";
import type { RpcConfig } from "../config.js";
import type { Budgets } from "../connections/client-connection.js";
import type { ConnectionCounts } from "../connections/connection-counts.js";
import { ConnectionTable } from "../connections/connection-table.js";
import type { Exchange } from "../connections/exchange.js";
import { servesDashboard } from "../own-host.js";
import type { ClientRateLimiter } from "../rate-limit/client-rate-limiter.js";
import type { Caller, Dispatcher } from "../requests/interface.js";
import { failure } from "../requests/responses.js";
import { type AccessCheck, clientOf, createAccessCheck, isAllowed, type RequestHead } from "./access.js";
import { readContent } from "./body-decoding.js";
import { BodyError } from "./body-reader.js";
import { gzipped, worthCompressing } from "./compression.js";
import { corsHeaders, METHODS } from "./cors.js";
import { Dashboard, type PageResponse } from "./dashboard.js";
import { DirectConnections } from "./direct-connections.js";
import { HEAD_HEADER, type HeadTokens } from "./head-tokens.js";
import { createListener, type ListeningAddress, listen, stopListening } from "./listener.js";
import { allowedOrigins, type Origins } from "./origins.js";
import { RequestHeads } from "./request-heads.js";
import { type HeaderList, isLong, type Reply, ServerReply } from "./response.js";
import { trustedProxies } from "./trusted-proxies.js";

/** Length in bytes above which a body is decoded in a separate turn of the event loop. */
const LARGE_BODY = 65_536;

const JSON_HEADERS: HeaderList = ["content-type", "application/json", "vary", "Accept-Encoding"];
const GZIP: HeaderList = ["content-encoding", "gzip"];
const NONE: HeaderList = [];
const CLOSE: HeaderList = ["connection", "close"];

/** The parts of a request, besides the body, that determine its answer. */
type Received = RequestHead & Pick<IncomingMessage, "socket">;

const PROBE_ANSWER = "JSON-RPC is served here, by POST.\n";

/**
 * Whether a load balancer requests the root to check that the server answers. A request without `Accept` and
 * `User-Agent` is refused like any other `GET` (`spec/09 §1.1`).
 */
function isProbe({ method, url, headers }: IncomingMessage): boolean {
  const isNamed = headers.accept !== undefined || headers["user-agent"] !== undefined;
  return (method === "GET" || method === "HEAD") && url === "/" && isNamed;
}

/** HTTP server of `spec/09 §1.1` to `§1.3` for a dispatcher. */
export class HttpServer {
  /** Receives upgrades as well if WebSocket shares the listener. */
  readonly server: Server;
  readonly table: ConnectionTable;
  private readonly origins: Origins;
  private readonly check: AccessCheck;
  private readonly heads: RequestHeads;
  private readonly direct: DirectConnections;
  private readonly dashboard: Dashboard | undefined;
  private closing = false;
  private inProgress = 0;
  private onDone: (() => void) | undefined;

  /** Creates the server. Throws {@link RpcServerError} `INVALID_CONFIGURATION` if an origin or a proxy is malformed. */
  constructor(
    private readonly config: RpcConfig,
    private readonly dispatcher: Dispatcher,
    private readonly limiter: ClientRateLimiter,
    budgets: Budgets,
    private readonly logger: Logger,
    counts?: ConnectionCounts,
    private readonly headTokens?: HeadTokens | undefined,
  ) {
    const { maxConnections: maximum } = config.http;
    const limits = { maximum, perClient: config.connections.perClient, proxies: trustedProxies(config.http) };
    this.table = new ConnectionTable(limits, budgets, counts);
    this.origins = allowedOrigins(config.http);
    this.check = createAccessCheck(config, config.http.host);
    if (servesDashboard(config)) this.dashboard = new Dashboard(config);
    this.server = createListener(config.http, this.table, (request, response, exchange) => {
      void this.handle(request, exchange, () => this.serve(request, response, exchange));
    });
    this.heads = new RequestHeads(config.http.maxBodyBytes, (head) => this.check(head) === undefined);
    this.direct = new DirectConnections(this.server, this.table, {
      heads: this.heads,
      limits: config.http,
      answer: (head, body, connection, exchange) => {
        const request = { ...head, socket: connection.socket };
        void this.handle(request, exchange, () => this.answer(request, body, connection, exchange));
      },
    });
  }

  /** Starts listening, see {@link listen}. */
  listen(handle?: object): Promise<ListeningAddress> {
    return listen(this.server, this.config.http, handle);
  }

  /** Applies changed API keys, from the next request of each connection on. */
  keysChanged(): void {
    this.heads.forget();
  }

  /** Stops accepting connections, waits for in-flight requests up to the time limit, then closes every connection. */
  async close(): Promise<void> {
    this.closing = true;
    const closed = stopListening(this.server);
    this.direct.closeIdle();
    await this.requestsDone(this.config.http.closeTimeout);
    this.server.closeAllConnections();
    this.direct.closeAll();
    await closed;
  }

  private requestsDone(timeout: number): Promise<void> {
    if (this.inProgress === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeout);
      this.onDone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Handles a request. Never rejects. */
  private async handle({ socket }: Received, exchange: Exchange, serve: () => Promise<void>): Promise<void> {
    this.inProgress++;
    exchange.onEnd = () => {
      if (--this.inProgress === 0) this.onDone?.();
    };
    try {
      await serve();
    } catch (err) {
      this.logger.error({ err }, "JSON-RPC request over HTTP failed unexpectedly");
      socket.destroy();
    }
  }

  private async serve(request: IncomingMessage, response: ServerResponse, exchange: Exchange): Promise<void> {
    const reply = new ServerReply(response);
    const page = this.dashboard?.respond(request);
    if (page !== undefined) {
      this.sendPage(reply, exchange, await page);
      return;
    }
    if (!isAllowed(this.check, request, response)) return;
    const { method } = request;
    if (method === "POST") await this.readAndAnswer(request, reply, exchange);
    else if (method === "OPTIONS") this.send(request, reply, 204);
    else if (isProbe(request)) this.send(request, reply, 200, ["content-type", "text/plain"], PROBE_ANSWER);
    else this.send(request, reply, 405, ["allow", METHODS]);
  }

  private sendPage(reply: Reply, exchange: Exchange, { status, headers, body }: PageResponse): void {
    if (body !== undefined && !exchange.holdUnsent(body.length)) reply.send(503, CLOSE);
    else reply.send(status, [...headers, ...(this.closing ? CLOSE : NONE)], body);
  }

  private async readAndAnswer(request: IncomingMessage, reply: Reply, exchange: Exchange): Promise<void> {
    let bytes: Buffer;
    try {
      bytes = await readContent(request, exchange, this.config.http.maxBodyBytes);
    } catch (error) {
      await exchange.refuse();
      const status = error instanceof BodyError ? error.statusCode : 400;
      // The rest of the body is not read.
      this.send(request, reply, status, [...JSON_HEADERS, ...CLOSE], this.unread(status));
      return;
    }
    await this.answer(request, bytes, reply, exchange);
  }

  /** Returns the response to a body that is not read to its end. */
  private unread(status: BodyError["statusCode"]): string {
    const reasons = {
      400: "the body cannot be read",
      413: `the body has more than ${this.config.http.maxBodyBytes} bytes`,
      503: "too many bytes of unanswered requests",
    };
    return JSON.stringify(failure(null, invalidRequest(reasons[status])));
  }

  private async answer(request: Received, bytes: Buffer, reply: Reply, exchange: Exchange): Promise<void> {
    if (bytes.length > LARGE_BODY) await nextTurn();
    // An empty text is no valid JSON.
    const text = isUtf8(bytes) ? bytes.toString() : "";
    const refusal = await this.headTokens?.refusal(request.headers[HEAD_HEADER]);
    if (refusal !== undefined) {
      const behind = JSON.stringify(failure(null, refusal));
      this.send(request, reply, refusal.code === "INVALID_REQUEST" ? 400 : 503, JSON_HEADERS, behind);
      return;
    }
    const { status, body, retryAfter } = await this.dispatcher.handleText(text, this.callerOf(request, exchange));
    const wait = retryAfter === undefined ? NONE : ["retry-after", String(Math.ceil(retryAfter / 1000))];
    if (body === undefined) this.send(request, reply, status, wait);
    else if (!exchange.holdUnsent(body.length)) this.send(request, reply, 503, CLOSE);
    else await this.sendJson(request, reply, status, body, wait);
  }

  private async sendJson(
    request: Received,
    reply: Reply,
    status: number,
    body: string,
    more: HeaderList,
  ): Promise<void> {
    const coding = worthCompressing(body, request.headers["accept-encoding"]) ? "gzip" : undefined;
    const head = this.headTokens === undefined ? NONE : [HEAD_HEADER, this.headTokens.current()];
    const headers = [...JSON_HEADERS, ...(coding ? GZIP : NONE), ...head, ...more];
    if (isLong(body)) await reply.sendInParts(status, this.allHeaders(request, headers), body, coding);
    else this.send(request, reply, status, headers, coding ? await gzipped(body) : body);
  }

  private callerOf(request: Received, exchange: Exchange): Caller {
    const client = clientOf(request, this.config);
    return { admit: this.limiter.admission(client), presence: exchange, client };
  }

  private send(request: RequestHead, reply: Reply, status: number, headers = NONE, body?: string | Buffer): void {
    reply.send(status, this.allHeaders(request, headers), body);
  }

  private allHeaders(request: RequestHead, headers: HeaderList): HeaderList {
    const own = this.headTokens === undefined ? undefined : HEAD_HEADER;
    return [...headers, ...corsHeaders(this.origins, request, own), ...(this.closing ? CLOSE : NONE)];
  }
}
