import { connect, type Socket } from "node:net";
import type { Clock } from "@cambium/primitives";
import { RlpxError } from "../errors.js";
import { RlpxConnection } from "./connection.js";
import { Negotiation } from "./negotiation.js";
import { DEFAULT_TIMEOUTS, type RlpxOptions } from "./options.js";

/** A node to connect to. */
export interface RlpxTarget {
  host: string;
  port: number;
  /** Node id, 64 bytes. */
  remoteId: Uint8Array;
  /** Signal that ends the attempt. */
  signal?: AbortSignal;
}

/** Milliseconds of silence after which TCP probes the peer. */
const KEEP_ALIVE_DELAY = 60_000;

/** Options of every socket of this wire. */
export const SOCKET_OPTIONS = { noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_DELAY } as const;

/**
 * Connects to a node, up to and including the exchange of Hello. Rejects with {@link RlpxError} `HANDSHAKE_FAILED`,
 * also if `signal` ends the attempt.
 */
export async function dialRlpx(options: RlpxOptions & RlpxTarget): Promise<RlpxConnection> {
  const { host, port, remoteId, signal } = options;
  const socket = connect({ host, port, ...SOCKET_OPTIONS });
  await whenConnected(socket, options);
  return negotiate(socket, options, remoteId, signal);
}

/** Accepts an inbound connection, like {@link dialRlpx}. */
export function acceptRlpx(socket: Socket, options: RlpxOptions, signal?: AbortSignal): Promise<RlpxConnection> {
  return negotiate(socket, options, undefined, signal);
}

function whenConnected(socket: Socket, { clock, timeouts, signal }: RlpxOptions & RlpxTarget): Promise<void> {
  const limit = timeouts?.connect ?? DEFAULT_TIMEOUTS.connect;
  return attempt(socket, { clock, limit, signal, stage: () => "connect" }, (succeed) => {
    socket.once("connect", succeed);
    return () => socket.off("connect", succeed);
  });
}

function negotiate(
  socket: Socket,
  options: RlpxOptions,
  remoteId: Uint8Array | undefined,
  signal: AbortSignal | undefined,
): Promise<RlpxConnection> {
  const negotiation = new Negotiation(options, remoteId, (bytes) => void socket.write(bytes));
  const limit = options.timeouts?.handshake ?? DEFAULT_TIMEOUTS.handshake;
  const bounds = { clock: options.clock, limit, signal, stage: () => negotiation.stage };
  return attempt(socket, bounds, (succeed, fail) => {
    const onData = (chunk: Uint8Array) => {
      try {
        const wire = negotiation.receive(chunk);
        if (wire === undefined) return;
        socket.pause();
        const direction = remoteId === undefined ? "inbound" : "outbound";
        succeed(new RlpxConnection(socket, direction, wire, options));
      } catch (error) {
        fail(error);
      }
    };
    try {
      negotiation.start();
    } catch (error) {
      fail(error);
    }
    socket.on("data", onData);
    return () => socket.off("data", onData);
  });
}

/** Bounds of a step of opening a connection. */
interface AttemptBounds {
  clock: Clock;
  /** Time limit in milliseconds. */
  limit: number;
  signal: AbortSignal | undefined;
  /** Returns the awaited step. */
  stage(): "connect" | "auth" | "ack" | "hello";
}

/**
 * Runs a step of opening a connection. It ends when `listen` reports success or failure. It fails if the socket closes,
 * the time is over or the signal is aborted. A failure closes the socket once written bytes are sent. `listen` returns
 * a function that removes its listeners.
 */
function attempt<T>(
  socket: Socket,
  { clock, limit, signal, stage }: AttemptBounds,
  listen: (succeed: (value: T) => void, fail: (error: unknown) => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cleanUps: (() => void)[] = [];
    let isOver = false;
    const finish = () => {
      isOver = true;
      for (const cleanUp of cleanUps.splice(0)) cleanUp();
    };
    const fail = (error: unknown) => {
      finish();
      reject(handshakeError(error, stage()));
      if (socket.connecting) socket.destroy();
      else socket.destroySoon();
    };
    const onClose = () => fail(socket.errored ?? new Error("the connection was closed"));
    const onAbort = () => fail(new Error("aborted"));
    socket.on("error", ignoreError).once("close", onClose);
    signal?.addEventListener("abort", onAbort);
    cleanUps.push(() => socket.off("close", onClose));
    cleanUps.push(() => signal?.removeEventListener("abort", onAbort));
    cleanUps.push(clock.after(limit, () => fail(new Error(`not done within ${limit} ms`))));
    const succeed = (value: T) => {
      finish();
      resolve(value);
    };
    cleanUps.push(listen(succeed, fail));
    if (isOver) finish();
    else if (socket.destroyed) onClose();
    else if (signal?.aborted) onAbort();
  });
}

/** The end of the connection follows an error, and is handled. */
function ignoreError(): void {}

function handshakeError(error: unknown, stage: ReturnType<AttemptBounds["stage"]>): RlpxError {
  if (error instanceof RlpxError && (error.code === "HANDSHAKE_FAILED" || error.code === "OWN_ID")) return error;
  return new RlpxError({ code: "HANDSHAKE_FAILED", stage, reason: reasonOf(error) }, { cause: error });
}

/** Returns the reason of an error. One that stands for several addresses of a host has a code, but no message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ((error as NodeJS.ErrnoException).code ?? error.name);
}
