import { WsClient } from "@cambium/test-utils/clients/ws-client";
import type { Json } from "@cambium/test-utils/rpc-client";
import { HttpClient } from "./http-client.js";
import { JUNK, wrongTypes } from "./junk.js";
import type { Call, RequestBook, Subjects } from "./request-book.js";

const HTTP_CLIENTS = 30;
const WS_CLIENTS = 20;
/** Number of requests of a client in a round. */
const REQUESTS = 24;

const FILTERS = ["eth_newFilter", "eth_newBlockFilter", "eth_newPendingTransactionFilter"];
const TOPICS: readonly unknown[][] = [["newHeads"], ["logs", {}], ["newPendingTransactions"], ["syncing"]];

/** How often a method was called and how often successfully. */
export interface Tally {
  calls: number;
  results: number;
}

/** Clients that connect, send all kinds of requests and nonsense, and disconnect. */
export class Load {
  /** Tallies by method. */
  readonly tallies = new Map<string, Tally>();
  junk = 0;
  notifications = 0;
  private position = 0;

  constructor(
    private readonly urls: { http: string; ws: string },
    private readonly book: RequestBook,
    private readonly random: () => number,
  ) {}

  get requests(): number {
    return [...this.tallies.values()].reduce((sum, { calls }) => sum + calls, this.junk);
  }

  /** Returns methods that the node offers and no client has called. */
  uncalled(): string[] {
    return this.book.names.filter((name) => !this.tallies.has(name));
  }

  /** Runs fifty clients, each with its requests; resolves when all have disconnected. */
  async round(subjects: Omit<Subjects, "filter">): Promise<void> {
    const overHttp = Array.from({ length: HTTP_CLIENTS }, (_, index) => this.httpClient(index, subjects));
    const overWs = Array.from({ length: WS_CLIENTS }, (_, index) => this.wsClient(index, subjects));
    await Promise.all([...overHttp, ...overWs]);
  }

  private async httpClient(index: number, subjects: Omit<Subjects, "filter">): Promise<void> {
    const client = new HttpClient(this.urls.http);
    const ask = (call: Call) => this.ask(call, () => client.call(call));
    const filter = await ask({ method: FILTERS[index % FILTERS.length]!, params: index % 3 === 0 ? [{}] : [] });
    const own = { ...subjects, filter: filter ?? "0x1" };
    for (let i = 0; i < REQUESTS; i++) {
      const call = this.next(own);
      if (i % 6 === 4) await this.nonsense(call, (body) => client.post(body));
      else if (i % 12 === 7) await this.leave(call, client);
      else await ask(call);
    }
    if (index === 0) for (const call of this.book.expensiveCalls(own)) await ask(call);
    await ask({ method: "eth_getFilterChanges", params: [own.filter] });
    // The other clients leave their filters behind.
    if (index % 2 === 0) await ask({ method: "eth_uninstallFilter", params: [own.filter] });
    client.close();
  }

  private async wsClient(index: number, subjects: Omit<Subjects, "filter">): Promise<void> {
    let client = await WsClient.open(this.urls.ws);
    const ask = (call: Call) => this.ask(call, () => client.call(call));
    const filter = await ask({ method: "eth_newBlockFilter", params: [] });
    const subscriptions: unknown[] = [];
    for (const params of TOPICS) subscriptions.push(await ask({ method: "eth_subscribe", params }));
    const own = { ...subjects, filter: filter ?? "0x1" };
    for (let i = 0; i < REQUESTS; i++) {
      const call = this.next(own);
      if (i % 6 === 4) await this.nonsense(call, (body) => client.send(body));
      else await ask(call);
      this.notifications += client.notifications;
      client.notifications = 0;
      if (!client.isOpen) client = await WsClient.open(this.urls.ws);
    }
    // Some clients unsubscribe, some disconnect properly, some drop the connection.
    if (index % 3 === 0) for (const id of subscriptions) await ask({ method: "eth_unsubscribe", params: [id] });
    await client.end(index % 3 < 2);
  }

  private async leave(call: Call, client: HttpClient): Promise<void> {
    this.tally(call.method).calls++;
    await client.abandon(JSON.stringify({ jsonrpc: "2.0", id: 1, ...call }));
  }

  private next(subjects: Subjects): Call {
    return this.book.at(this.position++, subjects);
  }

  /** The result of a call, undefined if it fails. */
  private async ask({ method }: Call, call: () => Promise<Json>): Promise<Json> {
    const tally = this.tally(method);
    tally.calls++;
    const response = await call();
    if (response?.result !== undefined) tally.results++;
    return response?.result;
  }

  private tally(method: string): Tally {
    const tally = this.tallies.get(method) ?? { calls: 0, results: 0 };
    this.tallies.set(method, tally);
    return tally;
  }

  private async nonsense(call: Call, send: (body: string | Uint8Array) => Promise<unknown>): Promise<void> {
    const turn = this.junk++;
    await send(turn % 2 === 0 ? wrongTypes(call, this.random) : JUNK[(turn >> 1) % JUNK.length]!());
  }
}
