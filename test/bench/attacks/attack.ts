import { connect, type Socket } from "node:net";
import { sleep } from "@cambium/test-utils/rpc-client";

/** Ports of the attacked node on 127.0.0.1. */
export interface Target {
  http: number;
  ws: number;
}

/** Actions of JSON-RPC clients that make a node slow or large. */
export interface Attack {
  name: string;
  /** Flags of `start`, in addition to the network and the data directory. */
  flags?: readonly string[];
  /** Brings the node into the state that the attack needs; the measurement begins afterwards. */
  prepare?(target: Target): Promise<void>;
  /** Attacks until the signal is aborted. Runs in a separate process, and must continue when requests fail. */
  run(target: Target, stopped: AbortSignal): Promise<void>;
}

/**
 * Milliseconds before a task is started again: on one machine, an attacker without pauses starves the node of processor
 * time.
 */
const PAUSE = 100;

/** Keeps `count` tasks running, each started again soon after it has ended in any way. */
export async function repeat(count: number, stopped: AbortSignal, task: (index: number) => Promise<unknown>) {
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      while (!stopped.aborted) {
        await task(index).catch(() => undefined);
        await sleep(PAUSE);
      }
    }),
  );
}

/** Opens a connection, sends bytes and holds it until the server closes it. */
export function hold(port: number, bytes: string | Buffer, use: (socket: Socket) => void = () => {}): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => use(socket));
    socket.on("error", () => {});
    socket.on("close", () => resolve());
    socket.write(bytes);
  });
}

/** A request as HTTP text. */
export function httpRequest(body: string): string {
  return `${httpHead(Buffer.byteLength(body))}${body}`;
}

export function httpHead(length: number): string {
  return `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
}

/** Sends a body and waits for the end of its response. */
export async function post({ http }: Target, body: string | Buffer, more: Record<string, string> = {}): Promise<void> {
  const headers = { "content-type": "application/json", ...more };
  const response = await fetch(`http://127.0.0.1:${http}`, { method: "POST", headers, body });
  await response.arrayBuffer();
}

/** Opens a WebSocket connection. */
export const UPGRADE =
  "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n" +
  "sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";

/** A message of ASCII text in one WebSocket frame, masked with zeros. */
export function textFrame(text: string): Buffer {
  const head = Buffer.alloc(14);
  head.set([0x81, 0x80 | 127]);
  head.writeBigUInt64BE(BigInt(text.length), 2);
  return Buffer.concat([head, Buffer.from(text)]);
}
