import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An endpoint between a tool and a node that remembers which methods the tool calls. */
export class MethodRecorder {
  readonly methods = new Set<string>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {
    server.on("request", (asked, response) => this.forward(asked, response).catch(() => response.destroy()));
  }

  /** Listens on a free port. */
  static async open(target: string): Promise<MethodRecorder> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new MethodRecorder(server, new URL(target));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async forward(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    this.remember(body.toString());
    const { method, headers } = asked;
    const forwarded = request(this.target, { method, headers: { ...headers, host: this.target.host } }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    forwarded.on("error", () => response.destroy());
    forwarded.end(body);
  }

  private remember(text: string): void {
    for (const [, method] of text.matchAll(/"method":\s*"(\w+)"/g)) this.methods.add(method!);
  }
}
