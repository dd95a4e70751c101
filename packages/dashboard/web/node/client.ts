/** An error that the node has answered with. */
export class RpcFailure extends Error {
  constructor(
    message: string,
    readonly code: number,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/** The node does not answer, or requires an API key. */
export class NoConnection extends Error {
  constructor(
    message: string,
    readonly needsKey = false,
  ) {
    super(message);
  }
}

export type Params = readonly unknown[];

interface Waiting {
  method: string;
  params: Params;
  resolve(result: never): void;
  reject(error: Error): void;
}

interface Answer {
  id: number;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

/** The node accepts 100 by default. */
const MAX_BATCH = 50;
const METHOD_NOT_FOUND = -32601;
const KEY = "cambium-api-key";

let waiting: Waiting[] = [];

/**
 * Calls a method. Calls of one turn of the event loop are sent together. Rejects with {@link RpcFailure} or
 * {@link NoConnection}.
 */
export function call<T>(method: string, ...params: Params): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (waiting.length === 0) queueMicrotask(sendWaiting);
    waiting.push({ method, params, resolve, reject });
  });
}

/** Calls a method that may take long, in a separate request. */
export function callAlone<T>(method: string, ...params: Params): Promise<T> {
  return askAlone<T>(method, params);
}

/** Calls a method; without an answer in time, the node does not answer. */
export function callWithin<T>(milliseconds: number, method: string): Promise<T> {
  return askAlone<T>(method, [], AbortSignal.timeout(milliseconds));
}

async function askAlone<T>(method: string, params: Params, signal?: AbortSignal): Promise<T> {
  const answer = (await post({ jsonrpc: "2.0", id: 1, method, params }, signal)) as Answer;
  if (answer.error !== undefined) throw failureOf(answer.error);
  return answer.result as T;
}

/** Returns the unchanged text of the response to a request, for the playground. */
export async function ask(request: unknown): Promise<string> {
  const response = await fetchJson(request);
  return response.text();
}

/** The path of JSON-RPC: with API keys, the key is the last part of it. */
export function rpcPath(): string {
  const key = sessionStorage.getItem(KEY);
  return key === null ? "/" : `/${encodeURIComponent(key)}`;
}

/** Uses a key until the tab is closed. Resolves to false if the node refuses it. */
export async function tryKey(key: string): Promise<boolean> {
  const before = sessionStorage.getItem(KEY);
  sessionStorage.setItem(KEY, key);
  try {
    await callAlone("eth_chainId");
    return true;
  } catch (error) {
    if (!(error instanceof NoConnection && error.needsKey)) throw error;
    if (before === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, before);
    return false;
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof RpcFailure && error.code === METHOD_NOT_FOUND;
}

function sendWaiting(): void {
  const all = waiting;
  waiting = [];
  for (let start = 0; start < all.length; start += MAX_BATCH) void send(all.slice(start, start + MAX_BATCH));
}

async function send(batch: readonly Waiting[]): Promise<void> {
  try {
    const requests = batch.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }));
    const answers = (await post(requests)) as Answer[] | Answer;
    const byId = new Map((Array.isArray(answers) ? answers : [answers]).map((answer) => [answer.id, answer]));
    for (const [id, { resolve, reject }] of batch.entries()) {
      // The answer to a batch that is refused as a whole has no id.
      const { result, error } = byId.get(id) ?? byId.get(null as never) ?? {};
      if (error !== undefined) reject(failureOf(error));
      else if (byId.has(id)) resolve(result as never);
      else reject(new NoConnection("the node did not answer"));
    }
  } catch (error) {
    for (const { reject } of batch) reject(error as Error);
  }
}

function failureOf({ message, code, data }: NonNullable<Answer["error"]>): RpcFailure {
  return new RpcFailure(message, code, data);
}

async function post(request: unknown, signal?: AbortSignal): Promise<unknown> {
  const response = await fetchJson(request, signal);
  return response.json().catch(() => {
    throw new NoConnection(`the node answered with HTTP status ${response.status}`);
  });
}

async function fetchJson(request: unknown, signal: AbortSignal | null = null): Promise<Response> {
  const headers = { "content-type": "application/json" };
  const sent = { method: "POST", headers, body: JSON.stringify(request), signal };
  const response = await fetch(rpcPath(), sent).catch(() => {
    throw new NoConnection("the node does not answer");
  });
  if (response.status === 401) throw new NoConnection("the node wants an API key", true);
  return response;
}
