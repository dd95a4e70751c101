import { EventEmitter } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ProviderRpcError } from "./provider-error.js";

/** A request (EIP-1193). */
export interface RequestArguments {
  readonly method: string;
  readonly params?: readonly unknown[] | object | undefined;
}

/** A client of JSON-RPC in this process. */
export interface JsonRpcConnection {
  /** Answers the text of a request. */
  handleText(text: string): Promise<string | undefined>;
  close(): void;
}

/** EIP-1193: the provider is not connected to any chain; the request is unauthorized; the method is not supported. */
const DISCONNECTED = 4900;
/** JSON-RPC: the request is no request. */
const INVALID_REQUEST = -32600;

/** Milliseconds of requests between two turns of the event loop. */
const SLICE = 10;

/** Methods after which `eth_accounts` may answer something else. */
const CHANGES_ACCOUNTS = /impersonat|_reset$|^personal_/i;

interface Answer {
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

/**
 * A provider for client libraries (EIP-1193). Requests and answers pass as JSON text, as over HTTP, so that a library
 * sees the same with both.
 */
export class DevelopmentProvider extends EventEmitter {
  private readonly connection: JsonRpcConnection;
  private sliceEnd = 0;
  private isConnected = true;
  private lastId = 0;

  /** `connect` opens the connection; its parameter receives notifications. */
  constructor(
    connect: (deliver: (message: string) => void) => JsonRpcConnection,
    private chainId: string,
    private accounts: readonly string[],
  ) {
    super();
    // Each contract object of a library may listen.
    this.setMaxListeners(0);
    this.connection = connect((message) => this.notify(message));
    setImmediate(() => this.isConnected && this.emit("connect", { chainId: this.chainId }));
  }

  /** Resolves to the result. Rejects with {@link ProviderRpcError}. */
  async request({ method, params = [] }: RequestArguments): Promise<unknown> {
    if (!this.isConnected) throw new ProviderRpcError(DISCONNECTED, "The chain is stopped: start another one");
    const result = await this.ask(method, params);
    if (CHANGES_ACCOUNTS.test(method)) await this.compareAccounts();
    return result;
  }

  /** The chain was replaced. */
  chainReplaced(chainId: string): void {
    if (chainId === this.chainId) return;
    this.chainId = chainId;
    this.emit("chainChanged", chainId);
  }

  /** Ends all subscriptions, and refuses further requests. */
  disconnect(): void {
    if (!this.isConnected) return;
    this.isConnected = false;
    this.connection.close();
    this.emit("disconnect", new ProviderRpcError(DISCONNECTED, "The chain is stopped"));
    this.removeAllListeners();
  }

  private async ask(method: string, params: object): Promise<unknown> {
    await this.yieldIfDue();
    const answer = await this.connection.handleText(requestText(++this.lastId, method, params));
    const { result, error } = JSON.parse(answer ?? "{}") as Answer;
    if (error !== undefined) throw new ProviderRpcError(error.code, error.message, error.data);
    return result;
  }

  /**
   * Lets timers, the disk and notifications run: answers take no turn of the event loop, so these would have to wait
   * for the last answer.
   */
  private async yieldIfDue(): Promise<void> {
    if (performance.now() < this.sliceEnd) return;
    await nextTurn();
    this.sliceEnd = performance.now() + SLICE;
  }

  private async compareAccounts(): Promise<void> {
    const accounts = (await this.ask("eth_accounts", [])) as string[];
    if (accounts.join() === this.accounts.join()) return;
    this.accounts = accounts;
    this.emit("accountsChanged", [...accounts]);
  }

  private notify(message: string): void {
    const { params } = JSON.parse(message) as { params: unknown };
    this.emit("message", { type: "eth_subscription", data: params });
  }
}

/** Throws {@link ProviderRpcError} for parameters that are no JSON, such as a bigint. */
function requestText(id: number, method: unknown, params: object): string {
  try {
    return JSON.stringify({ jsonrpc: "2.0", id, method, params });
  } catch (error) {
    const reason = (error as Error).message;
    throw new ProviderRpcError(INVALID_REQUEST, `The parameters of ${method} are no JSON: ${reason}`);
  }
}
