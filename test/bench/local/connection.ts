import { Agent, request } from "node:http";
import type { DevelopmentProvider } from "@cambium/dev";

/** Any JSON value. */
type Json = ReturnType<typeof JSON.parse>;

/** A client of a chain. */
export interface Connection {
  /** Resolves to the `result`. Rejects if there is no answer, or an error. */
  ask(method: string, ...params: unknown[]): Promise<Json>;
  close(): void;
}

/** A client over HTTP with one connection and one request in flight. */
export class HttpConnection implements Connection {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(private readonly url: URL) {}

  async ask(method: string, ...params: unknown[]): Promise<Json> {
    const text = await this.post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
    const { result, error }: Json = JSON.parse(text);
    if (error !== undefined) throw new Error(`${this.url}: ${method}: ${error.message}`);
    return result;
  }

  close(): void {
    this.agent.destroy();
  }

  private post(body: string): Promise<string> {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      const outgoing = request(this.url, { method: "POST", agent: this.agent, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve(text));
        response.on("error", reject);
      });
      outgoing.on("error", reject).end(body);
    });
  }
}

/** A client of a provider in this process. */
export class ProviderConnection implements Connection {
  constructor(private readonly provider: DevelopmentProvider) {}

  ask(method: string, ...params: unknown[]): Promise<Json> {
    return this.provider.request({ method, params });
  }

  close(): void {}
}
