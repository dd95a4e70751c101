import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Behaviour of an endpoint: forwards requests, also late, answers that they failed, or answers nonsense. */
export type EndpointMode = "normal" | "slow" | "error" | "garbage" | "wrong";

/** A JSON-RPC endpoint between a client and a node, which can misbehave. */
export class FaultyEndpoint {
  mode: EndpointMode = "normal";
  /** Number of requests so far, including those in batches. */
  requests = 0;
  private server: Server | undefined;
  private port = 0;

  constructor(private readonly target: () => string) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Listens, on the same port as before. */
  async open(): Promise<this> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      response.end(await this.answer(Buffer.concat(chunks).toString()).catch(() => ""));
    });
    await new Promise<void>((resolve) => server.listen(this.port, "127.0.0.1", resolve));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
    return this;
  }

  /** Refuses connections from now on. */
  async close(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }

  private async answer(body: string): Promise<string> {
    const parsed = JSON.parse(body) as { id: number } | { id: number }[];
    this.requests += Array.isArray(parsed) ? parsed.length : 1;
    const each = (member: object) =>
      JSON.stringify(
        Array.isArray(parsed)
          ? parsed.map(({ id }) => ({ jsonrpc: "2.0", id, ...member }))
          : { jsonrpc: "2.0", id: parsed.id, ...member },
      );
    if (this.mode === "error") return each({ error: { code: -32000, message: "missing trie node" } });
    if (this.mode === "garbage") return "<html>502</html>";
    if (this.mode === "wrong") return each({ result: { surprise: true } });
    if (this.mode === "slow") await new Promise((resolve) => setTimeout(resolve, 700));
    const headers = { "content-type": "application/json" };
    return (await fetch(this.target(), { method: "POST", headers, body })).text();
  }
}
