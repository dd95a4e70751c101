import { DescribedResults } from "./described-results.js";

/** An `error` member of a response. */
export class RpcFailure extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data: string | undefined,
  ) {
    super(message);
  }
}

/** Any JSON value. */
export type Json = ReturnType<typeof JSON.parse>;

/** A minimal JSON-RPC client over HTTP. */
export class RpcClient {
  private readonly document: DescribedResults | undefined;

  /** Checks results and errors against the node's description, unless it has none, or `validates` is false. */
  constructor(
    readonly url: string,
    validates = true,
  ) {
    this.document = validates ? new DescribedResults((method) => this.send(method, [])) : undefined;
  }

  /** Resolves to the `result` of a request; rejects with {@link RpcFailure}. */
  async call(method: string, ...params: unknown[]): Promise<Json> {
    try {
      const result = await this.send(method, params);
      await this.document?.check(method, params, result);
      return result;
    } catch (error) {
      if (error instanceof RpcFailure) await this.document?.checkError(method, params, error);
      throw error;
    }
  }

  private async send(method: string, params: readonly unknown[]): Promise<Json> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "content-type": "application/json" };
    const response = await fetch(this.url, { method: "POST", headers, body });
    const { result, error } = (await response.json()) as Json;
    if (error !== undefined) throw new RpcFailure(error.code, error.message, error.data);
    return result;
  }
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Polls until a condition holds. Rejects after a timeout. */
export async function until(condition: () => Promise<boolean>, milliseconds = 120_000): Promise<void> {
  const end = performance.now() + milliseconds;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not within ${milliseconds} ms: ${condition}`);
    await sleep(20);
  }
}
