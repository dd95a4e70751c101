import { connect, type Socket } from "node:net";

const WARM_UP_SECONDS = 1;
const SECONDS = 4;
/** Number of leading characters of a response that show its head, and whether it is an error. */
const START_CHARACTERS = 2_000;
const LAST_CHUNK = "\r\n0\r\n\r\n";

export interface Load {
  /** Responses per second. */
  rate: number;
  /** 99th percentile of the latency in milliseconds. */
  p99: number;
}

/**
 * Returns a request to an endpoint as bytes: with an HTTP library the client would be slower than the server it
 * measures. `body` is that of one request or a batch.
 */
export function requestBytes(url: URL, body: unknown): Buffer {
  const text = JSON.stringify(body);
  const head = [
    `POST ${url.pathname} HTTP/1.1`,
    `host: ${url.host}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(text)}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${text}`);
}

/** Measures connections with one request in flight each. */
export async function load(url: URL, body: unknown, connections: number): Promise<Load> {
  const request = requestBytes(url, body);
  let times: number[] = [];
  const repeated = Array.from({ length: connections }, () => {
    return new RepeatedRequest(url, request, (milliseconds) => times.push(milliseconds));
  });
  // Threads for calls start with the first call.
  do await pause(WARM_UP_SECONDS);
  while (times.length < connections);
  times = [];
  const start = performance.now();
  await pause(SECONDS);
  const rate = (times.length * 1000) / (performance.now() - start);
  for (const one of repeated) one.stop();
  times.sort((a, b) => a - b);
  return { rate, p99: times[Math.floor(times.length * 0.99)] ?? Number.NaN };
}

/** Repeats a request as soon as its response arrives, over the same connection unless the server closes it. */
export class RepeatedRequest {
  private socket: Socket;
  private asked = 0;
  /** The beginning of a response, enough to determine its end. */
  private start = "";
  private end = "";
  private received = 0;
  private length: number | undefined;
  private isStopped = false;

  constructor(
    private readonly url: URL,
    private readonly request: Buffer,
    private readonly onAnswer: (milliseconds: number) => void,
    private readonly localAddress?: string,
  ) {
    this.socket = this.open();
  }

  stop(): void {
    this.isStopped = true;
    this.socket.destroy();
  }

  private open(): Socket {
    const { hostname, port } = this.url;
    const host = hostname.replace(/^\[|\]$/g, "");
    const socket = connect({ port: Number(port || 80), host, localAddress: this.localAddress }).setNoDelay();
    socket.setEncoding("latin1").on("data", (chunk: string) => this.receive(chunk));
    socket.on("error", (error) => {
      if (!this.isStopped) throw error;
    });
    socket.on("close", () => {
      if (!this.isStopped) this.socket = this.open();
    });
    this.ask(socket);
    return socket;
  }

  private ask(socket: Socket): void {
    [this.start, this.end, this.received, this.length] = ["", "", 0, undefined];
    this.asked = performance.now();
    socket.write(this.request);
  }

  private receive(chunk: string): void {
    this.received += chunk.length;
    if (this.start.length < START_CHARACTERS) this.start += chunk;
    this.end = (this.end + chunk).slice(-LAST_CHUNK.length);
    this.length ??= responseLength(this.start);
    if (this.length === undefined || this.received < this.length) return;
    if (this.length === 0 && this.end !== LAST_CHUNK) return;
    if (!this.start.includes('"result"')) throw new Error(this.start);
    this.onAnswer(performance.now() - this.asked);
    if (!/\r\nconnection: *close/i.test(this.start)) this.ask(this.socket);
  }
}

/**
 * Returns the length of a whole response that begins with `text`: undefined while its head is incomplete, 0 if it comes
 * in chunks.
 */
function responseLength(text: string): number | undefined {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  if (!/^HTTP\/1\.[01] 200/.test(text)) throw new Error(text.slice(0, 200));
  const announced = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, headEnd + 2));
  return announced === null ? 0 : headEnd + 4 + Number(announced[1]);
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
