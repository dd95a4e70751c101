import { fetchFailure, shownUrl } from "@cambium/primitives";
import { requestSignal, responseText } from "./bounded-request.js";
import { FeedError } from "./errors.js";
import { integer, type RpcBlock, type RpcObject } from "./rows.js";
import type { Position } from "./sink.js";

/** Milliseconds until a request fails. */
const TIMEOUT = 60_000;
/** Maximum size of a response, in bytes: a block with all its traces. */
const MAX_ANSWER = 256 * 1024 * 1024;
/** JSON-RPC error code: the method does not exist. */
const METHOD_NOT_FOUND = -32601;
/** JSON-RPC error code of this chain's nodes for a block whose data, receipts or state are not stored. */
const NOT_STORED = -32600;
interface Call {
  method: string;
  params: readonly unknown[];
}

/** An `error` member of a response. */
export class RpcFailure extends Error {
  constructor(
    readonly method: string,
    readonly code: number,
    message: string,
  ) {
    super(`${method}: ${message}`);
  }

  get isMethodMissing(): boolean {
    return this.code === METHOD_NOT_FOUND;
  }
}

/** Client of a node's JSON-RPC interface over HTTP. */
export class NodeClient {
  private readonly headers: Record<string, string> = { "content-type": "application/json" };
  /** Address for `fetch`, without credentials. */
  private readonly address: string;
  /** Address for messages, without credentials and keys. */
  readonly url: string;

  /** `url` may carry `user:password@`. `end` aborts requests. Throws {@link FeedError} `NODE`. */
  constructor(
    url: string,
    private readonly end?: AbortSignal,
  ) {
    if (!URL.canParse(url) || !["http:", "https:"].includes(new URL(url).protocol)) {
      throw new FeedError({
        code: "NODE",
        url: shownUrl(url),
        reason: "expected an address that begins with http:// or https://",
      });
    }
    const parsed = new URL(url);
    const { username, password } = parsed;
    if (username !== "") {
      const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
      this.headers.authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
    }
    // Compression on the same machine takes longer than it saves.
    if (isOwnMachine(parsed.hostname)) this.headers["accept-encoding"] = "identity";
    parsed.username = "";
    parsed.password = "";
    this.address = parsed.href;
    this.url = shownUrl(parsed.href);
  }

  async call(method: string, ...params: unknown[]): Promise<RpcObject> {
    const [result] = await this.batch([{ method, params }]);
    return result;
  }

  /** Returns the results of calls in one request. Rejects with {@link RpcFailure} for the first that failed. */
  async batch(calls: readonly Call[]): Promise<RpcObject[]> {
    const requests = calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }));
    const responses = await this.send(requests);
    const byId = new Map(responses.map((response) => [response.id, response]));
    return calls.map(({ method }, id) => {
      const response = byId.get(id);
      if (response === undefined || (response.error === undefined && response.result === undefined)) {
        throw new Error(`no answer to ${method} from ${this.url}`);
      }
      if (response.error !== undefined) throw new RpcFailure(method, response.error.code, response.error.message);
      return response.result;
    });
  }

  private async send(requests: readonly object[]): Promise<RpcObject[]> {
    const body = JSON.stringify(requests);
    const signal = requestSignal(this.end, TIMEOUT);
    const response = await fetch(this.address, { method: "POST", headers: this.headers, body, signal }).catch(
      (error) => {
        throw new Error(`no answer from ${this.url}: ${fetchFailure(error)}`, { cause: error });
      },
    );
    const text = await responseText(response, MAX_ANSWER);
    try {
      const parsed = JSON.parse(text);
      return Array.isArray(parsed) ? parsed : requests.map((_, id) => ({ id, error: parsed.error }));
    } catch {
      throw new Error(`${this.url} answered with status ${response.status} and no JSON`);
    }
  }

  async chainId(): Promise<number> {
    return integer(await this.call("eth_chainId"));
  }

  /** Returns the block of the best chain with a number; undefined if the node has none. */
  async blockAt(number: number): Promise<Position | undefined> {
    const block = await this.call("eth_getBlockByNumber", quantity(number), false);
    return block === null ? undefined : { number, hash: hashOf(block) };
  }

  async head(): Promise<Position> {
    const block = await this.call("eth_getBlockByNumber", "latest", false);
    return { number: integer(block?.number), hash: hashOf(block) };
  }

  /**
   * Returns a block of the best chain. Undefined if the chain has no block with this number, or changed during the
   * read. Rejects with {@link FeedError} `HISTORY_MISSING` or `METHOD_MISSING`.
   */
  async content(number: number, withTraces: boolean): Promise<RpcBlock | undefined> {
    const at = quantity(number);
    try {
      const [block, receipts, traces] = await this.batch([
        { method: "eth_getBlockByNumber", params: [at, true] },
        { method: "eth_getBlockReceipts", params: [at] },
        ...(withTraces ? [{ method: "trace_block", params: [at] }] : []),
      ]);
      if (block === null || receipts === null || traces === null) return undefined;
      const hash = hashOf(block);
      const isWhole = [...receipts, ...(traces ?? [])].every(({ blockHash }) => blockHash === hash);
      if (!isWhole) return undefined;
      await this.addOmitted(block, receipts);
      requireReceipts(block, receipts);
      return { block, receipts, traces };
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error;
      if (error.isMethodMissing) throw missingMethod(error.method);
      if (error.code !== NOT_STORED) throw error;
      throw new FeedError({ code: "HISTORY_MISSING", number, reason: error.message });
    }
  }

  /** Adds the reward transaction, which some nodes omit from blocks. */
  private async addOmitted(block: RpcObject, receipts: readonly RpcObject[]): Promise<void> {
    for (let i = block.transactions.length; i < receipts.length; i++) {
      const found = await this.call("eth_getTransactionByHash", receipts[i].transactionHash);
      if (found === null) throw new Error(`the node does not know transaction ${receipts[i].transactionHash}`);
      block.transactions.push(found);
    }
  }
}

function isOwnMachine(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host.startsWith("127.");
}

export function missingMethod(method: string): FeedError {
  const [module] = method.split("_") as [string];
  const table = module === "trace" ? "internal_calls" : method.includes("Filter") ? "pool_events" : "blocks";
  return new FeedError({ code: "METHOD_MISSING", method, module, table });
}

/** Throws unless each transaction has its receipt: rows combine both. */
function requireReceipts({ hash, transactions }: RpcObject, receipts: readonly RpcObject[]): void {
  const isSame = ({ transactionHash }: RpcObject, i: number) => transactionHash === transactions[i].hash;
  if (receipts.length === transactions.length && receipts.every(isSame)) return;
  throw new Error(`the node sent receipts that do not match the transactions of block ${hash}`);
}

/** Returns the hash of a block, which destinations store as their position. Throws if it is none. */
function hashOf(block: RpcObject): string {
  const hash: unknown = block?.hash;
  if (typeof hash === "string" && /^0x[0-9a-f]{64}$/.test(hash)) return hash;
  throw new Error(`the node sent ${String(hash).slice(0, 80)}, expected a block hash`);
}

function quantity(number: number): string {
  return `0x${number.toString(16)}`;
}
