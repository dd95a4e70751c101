import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { gzipSync } from "node:zlib";

/** Faults of a request, or of its answer. */
const FAULTS = ["refused", "lost", "cut", "half", "empty", "page", "null", "garbage", "bomb", "endless"] as const;

/** A proxy for HTTP whose server a number of times is not reached, or answers nonsense. */
export class FaultyProxy {
  /** Number of faults to come. */
  private remaining: number;

  private constructor(
    private readonly server: Server,
    private readonly target: string,
    private readonly next: () => number,
    faults: number,
  ) {
    this.remaining = faults;
    server.on("request", (request, response) => {
      this.pass(request, response).catch(() => response.destroy());
    });
  }

  /** `next`: random numbers from 0 to 1. */
  static async start(target: string, next: () => number, faults: number): Promise<FaultyProxy> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new FaultyProxy(server, target, next, faults);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Whether all faults are over. */
  get isFaultless(): boolean {
    return this.remaining === 0;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isFaulty = this.remaining > 0 && this.next() < 0.3;
    if (isFaulty) this.remaining--;
    const fault = isFaulty ? FAULTS[Math.floor(this.next() * FAULTS.length)] : undefined;
    const body = new Uint8Array(await buffer(request));
    if (fault === "refused") throw new Error("the request does not arrive");
    const { "content-length": _, host: __, connection: ___, "transfer-encoding": ____, ...own } = request.headers;
    const headers = own as Record<string, string>;
    const answer = await fetch(this.target + request.url, { method: "POST", headers, body });
    const content = new Uint8Array(await answer.arrayBuffer());
    if (fault === undefined) return void response.writeHead(answer.status).end(content);
    if (fault === "lost") throw new Error("the answer does not arrive");
    if (fault === "cut") {
      response.writeHead(200, { "content-length": content.length + 100 }).write(content);
      throw new Error("the answer does not end");
    }
    if (fault === "endless") return fill(response);
    const zeros = gzipSync(new Uint8Array(300_000_000));
    if (fault === "bomb") return void response.writeHead(200, { "content-encoding": "gzip" }).end(zeros);
    const lies: Record<string, Uint8Array | string> = {
      half: content.subarray(0, content.length / 2),
      empty: "",
      page: "<html><body>Sign in to this network</body></html>",
      null: "null",
      garbage: Uint8Array.from({ length: 1_000 }, () => Math.floor(this.next() * 256)),
    };
    response.writeHead(200).end(lies[fault]);
  }
}

/** Sends until the client disconnects. */
async function fill(response: ServerResponse): Promise<void> {
  const part = new Uint8Array(1_000_000).fill(32);
  const parts = function* () {
    for (;;) yield part;
  };
  response.writeHead(200);
  await pipeline(Readable.from(parts()), response);
}
