import { Agent, request } from "node:http";
import type { Json } from "@cambium/test-utils/rpc-client";
import type { Call } from "./request-book.js";

/** A client with a separate connection, which it keeps. */
export class HttpClient {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(private readonly url: string) {}

  /**
   * Resolves to the response's text, of any status; or undefined if the node closes the connection, as it may after
   * junk.
   */
  post(body: string | Uint8Array): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const sent = request(this.url, { method: "POST", agent: this.agent, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part) => parts.push(part));
        response.on("end", () => resolve(Buffer.concat(parts).toString()));
        response.on("error", () => resolve(undefined));
      });
      sent.on("error", ({ code }: NodeJS.ErrnoException) => {
        if (code === "ECONNRESET" || code === "EPIPE") resolve(undefined);
        else reject(new Error(`no connection to the node: ${code}`));
      });
      sent.end(body);
    });
  }

  /** Sends a request and disconnects before the response. */
  abandon(body: string): Promise<void> {
    return new Promise((resolve) => {
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const sent = request(this.url, { method: "POST", agent: this.agent, headers });
      sent.on("error", () => undefined);
      sent.on("close", resolve);
      sent.end(body, () => sent.destroy());
    });
  }

  /** The whole response to a request. */
  async call({ method, params }: Call): Promise<Json> {
    const text = await this.post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
    return text === undefined ? undefined : JSON.parse(text);
  }

  close(): void {
    this.agent.destroy();
  }
}
