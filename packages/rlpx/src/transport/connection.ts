import type { Socket } from "node:net";
import { type Clock, parseIp } from "@cambium/primitives";
import { RlpxError } from "../errors.js";
import { malformed } from "../rlp.js";
import { DISCONNECT, EMPTY_LIST, FIRST_CAPABILITY_CODE, GET_PEERS, HELLO, PEERS, PING, PONG } from "./base-protocol.js";
import { DISCONNECT_REASONS, decodeDisconnect, encodeDisconnect } from "./disconnect.js";
import type { Frame, FrameDecoder } from "./frame-decoder.js";
import type { FrameEncoder } from "./frame-encoder.js";
import type { BytesHolder } from "./held-bytes.js";
import type { Hello } from "./hello.js";
import type { NegotiatedWire } from "./negotiation.js";
import { DEFAULT_LIMITS, DEFAULT_TIMEOUTS, type RlpxLimits, type RlpxOptions, type RlpxTimeouts } from "./options.js";

/** Reasons why a connection was closed. */
export type CloseReason =
  /** The peer sent Disconnect. */
  | { kind: "disconnected"; reason: number }
  /** This side sent Disconnect. */
  | { kind: "disconnect-sent"; reason: number }
  /** The peer, or the network, closed the connection. */
  | { kind: "closed"; error: Error | undefined }
  /** The peer violated the protocol. */
  | { kind: "violation"; error: RlpxError }
  /** The peer sent no frame, or did not read the sent bytes. */
  | { kind: "time-out"; what: "idle" | "stalled" }
  /** The sent bytes exceeded the limit of the queue. */
  | { kind: "queue-full" }
  /** All connections together held too many bytes for their peers, this one the most. */
  | { kind: "memory" }
  /** A handler of this side threw an error, or called `destroy`. */
  | { kind: "destroyed"; error: unknown };

/** Handlers of the owner of a connection. */
export interface ConnectionHandlers {
  /** Called for a message of a capability; `code` is at least 0x10. */
  onMessage(code: number, payload: Uint8Array): void;
  /** Called once, after the socket was closed. */
  onClose(reason: CloseReason): void;
}

/**
 * Maximum number of messages of the base protocol in {@link BASE_WINDOW} milliseconds; the reference client sends one
 * ping in 5 seconds.
 */
const MAXIMUM_BASE_MESSAGES = 100;
const BASE_WINDOW = 10_000;
/** Number of pings of {@link RlpxConnection.probe}. */
const PROBES = 2;

/**
 * A connection to a node after the exchange of Hello (`spec/07 §A.2.4`). It answers and sends pings, and closes itself
 * if the peer violates the protocol, sends Disconnect, or is silent for too long.
 */
export class RlpxConnection implements BytesHolder {
  /** Node id of the peer, 64 bytes. */
  readonly remoteId: Uint8Array;
  /** The peer's statements about itself. */
  readonly hello: Hello;
  /** Remote address; `ip` is normalized: an IPv4-mapped address is IPv4. */
  readonly remoteAddress: { ip: string; port: number };

  private readonly clock: Clock;
  private readonly timeouts: RlpxTimeouts;
  private readonly limits: RlpxLimits;
  private readonly encoder: FrameEncoder;
  private readonly decoder: FrameDecoder;
  private handlers: ConnectionHandlers | undefined;
  private paused = false;
  private processing = false;
  /** Set once the connection is closing. */
  private closeReason: CloseReason | undefined;
  private isClosed = false;
  private lastFrame: number;
  private awaitsPong = false;
  private baseMessages = { since: 0, count: 0 };
  private cancelTick: () => void;
  private cancelStall: (() => void) | undefined;
  private cancelProbe: (() => void) | undefined;
  private drainWaiters: (() => void)[] = [];
  /** Size of the messages that the owner will send, in bytes. */
  private waitingBytes = 0;

  constructor(
    private readonly socket: Socket,
    readonly direction: "inbound" | "outbound",
    { remoteId, hello, encoder, decoder }: NegotiatedWire,
    private readonly options: RlpxOptions,
  ) {
    this.remoteId = remoteId;
    this.hello = hello;
    this.encoder = encoder;
    this.decoder = decoder;
    const ip = socket.remoteAddress ?? "";
    this.remoteAddress = { ip: parseIp(ip)?.text ?? ip, port: socket.remotePort ?? 0 };
    this.clock = options.clock;
    this.timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.lastFrame = this.clock.now();
    this.cancelTick = this.clock.after(this.timeouts.firstPing, this.tick);
    socket.once("close", this.onSocketClose);
  }

  /** Number of bytes that are queued for sending. */
  get pendingBytes(): number {
    return this.socket.writableLength;
  }

  /**
   * Begins to read. Earlier messages wait in the buffers of the socket. If the connection is already closed, `onClose`
   * is called soon.
   */
  start(handlers: ConnectionHandlers): void {
    this.handlers = handlers;
    if (this.isClosed) {
      queueMicrotask(this.notifyClose);
      return;
    }
    this.socket.on("data", this.onData);
    this.resume();
  }

  /**
   * Sends a message of a capability; `code` is absolute, at least 0x10. Returns false if the queue is above its
   * high-water mark, or the connection is closed: the caller should then wait for `drained`. Throws {@link RlpxError}
   * `TOO_LARGE` or `INVALID_OPTION`.
   */
  send(code: number, payload: Uint8Array): boolean {
    if (code < FIRST_CAPABILITY_CODE || code > 0xff) {
      throw new RlpxError({ code: "INVALID_OPTION", option: "code", reason: `0x${code.toString(16)}` });
    }
    return this.write(code, payload);
  }

  /** Resolves once the queue is not above its high-water mark, or the connection is closed. */
  drained(): Promise<void> {
    if (this.isClosed || this.pendingBytes <= this.limits.highWaterMark) return Promise.resolve();
    return new Promise((resolve) => void this.drainWaiters.push(resolve));
  }

  /** Stops reading, so that the peer is slowed down. No message is delivered until `resume`. */
  pause(): void {
    this.paused = true;
    this.socket.pause();
  }

  /** Reads again if the connection was started. Messages may be delivered before it returns. */
  resume(): void {
    this.paused = false;
    this.lastFrame = this.clock.now();
    this.process();
    const isReading = this.handlers !== undefined && !this.paused && this.closeReason === undefined;
    if (isReading) this.socket.resume();
  }

  /**
   * Sends Disconnect with a reason of `DISCONNECT_REASONS`, then closes the connection; the reference client leaves
   * that to the sender. Messages that still arrive are dropped.
   */
  disconnect(reason: number): void {
    if (this.closeReason !== undefined) return;
    this.write(DISCONNECT, encodeDisconnect(reason));
    if (!this.beginClose({ kind: "disconnect-sent", reason })) return;
    // Incoming bytes are read and dropped: unread bytes would make the system reset the connection and lose the
    // Disconnect.
    this.socket.off("data", this.onData).resume();
    this.socket.end();
    this.cancelTick = this.clock.after(this.timeouts.flush, () => this.socket.destroy());
  }

  /**
   * Requests a sign of life from the peer, and closes the connection if no byte arrives in time: TCP notices the loss
   * of a peer only after minutes. There are two rounds. Bytes that arrive while this process is busy are read before
   * the second one ends.
   */
  probe(): void {
    if (this.cancelProbe === undefined) this.awaitBytes(PROBES, this.socket.bytesRead);
  }

  private awaitBytes(rounds: number, before: number): void {
    this.cancelProbe = undefined;
    if (this.paused || this.closeReason !== undefined || this.socket.bytesRead > before) return;
    if (rounds === 0) {
      this.close({ kind: "time-out", what: "idle" });
      return;
    }
    this.write(PING, EMPTY_LIST);
    this.cancelProbe = this.clock.after(this.timeouts.probe, () => this.awaitBytes(rounds - 1, before));
  }

  /** Records how many bytes the owner holds for the peer besides those that it has sent. */
  noteWaiting(bytes: number): void {
    this.waitingBytes = bytes;
    this.noteHeld();
  }

  /** Closes the connection; called by {@link HeldBytes}. */
  release(): void {
    this.close({ kind: "memory" });
  }

  private noteHeld(): void {
    const bytes = this.closeReason === undefined ? this.decoder.heldBytes + this.pendingBytes + this.waitingBytes : 0;
    this.options.heldBytes?.set(this, bytes);
  }

  /** Closes the connection immediately. */
  destroy(error?: unknown): void {
    this.close({ kind: "destroyed", error });
  }

  private readonly onData = (chunk: Uint8Array): void => {
    this.decoder.push(chunk);
    this.process();
    this.noteHeld();
  };

  /** Handles received frames until reading is paused or the connection is closing. */
  private process(): void {
    if (this.processing) return;
    this.processing = true;
    try {
      while (this.handlers !== undefined && !this.paused && this.closeReason === undefined) {
        const frame = this.decoder.next();
        if (frame === undefined) break;
        this.handle(frame, this.handlers);
      }
    } catch (error) {
      if (!(error instanceof RlpxError)) throw error;
      this.close({ kind: "violation", error });
    } finally {
      this.processing = false;
    }
  }

  /** Handles a frame. Throws {@link RlpxError} if the peer violated the protocol. */
  private handle({ code, payload, isPart }: Frame, handlers: ConnectionHandlers): void {
    this.lastFrame = this.clock.now();
    if (isPart) throw new RlpxError({ code: "INVALID_FRAME", reason: "part of a split message" });
    if (code < FIRST_CAPABILITY_CODE) this.handleBase(code, payload);
    else this.deliver(() => handlers.onMessage(code, payload));
  }

  private handleBase(code: number, payload: Uint8Array): void {
    this.countBaseMessage();
    switch (code) {
      case HELLO:
        this.disconnect(DISCONNECT_REASONS.requested);
        break;
      case DISCONNECT:
        this.close({ kind: "disconnected", reason: decodeDisconnect(payload) });
        break;
      case PING:
        this.write(PONG, EMPTY_LIST);
        break;
      case PONG:
        this.awaitsPong = false;
        break;
      case GET_PEERS:
      case PEERS:
        break;
      default:
        throw malformed("message code", `0x${code.toString(16)}`);
    }
  }

  /** Counts a message that costs the peer nothing and has no other limit. */
  private countBaseMessage(): void {
    const now = this.clock.now();
    if (now - this.baseMessages.since > BASE_WINDOW) this.baseMessages = { since: now, count: 0 };
    if (++this.baseMessages.count > MAXIMUM_BASE_MESSAGES) {
      throw malformed("base protocol", `more than ${MAXIMUM_BASE_MESSAGES} messages in ${BASE_WINDOW} ms`);
    }
  }

  /** Calls a handler; its failure closes only this connection. */
  private deliver(call: () => void): void {
    try {
      call();
    } catch (error) {
      const { ip, port } = this.remoteAddress;
      this.options.logger.error({ err: error, peer: `${ip}:${port}` }, "a handler of a connection failed");
      this.destroy(error);
    }
  }

  private write(code: number, payload: Uint8Array): boolean {
    if (this.closeReason !== undefined) return false;
    const frame = this.encoder.encode(code, payload);
    if (this.pendingBytes + frame.length > this.limits.sendQueue) {
      this.close({ kind: "queue-full" });
      return false;
    }
    this.socket.write(frame, this.onWritten);
    this.noteHeld();
    if (this.pendingBytes <= this.limits.highWaterMark) return true;
    this.cancelStall ??= this.clock.after(this.timeouts.stalled, () =>
      this.close({ kind: "time-out", what: "stalled" }),
    );
    return false;
  }

  private readonly onWritten = (): void => {
    this.noteHeld();
    if (this.pendingBytes <= this.limits.highWaterMark) this.releaseWaiters();
  };

  private releaseWaiters(): void {
    this.cancelStall?.();
    this.cancelStall = undefined;
    for (const resolve of this.drainWaiters.splice(0)) resolve();
  }

  private readonly tick = (): void => {
    if (!this.paused && this.clock.now() - this.lastFrame >= this.timeouts.idle) {
      this.close({ kind: "time-out", what: "idle" });
      return;
    }
    this.cancelTick = this.clock.after(this.timeouts.ping, this.tick);
    if (this.awaitsPong) return;
    this.awaitsPong = true;
    this.write(PING, EMPTY_LIST);
  };

  private close(reason: CloseReason): void {
    if (this.beginClose(reason)) this.socket.destroy();
  }

  /** Begins to close. Returns false if the connection is already closing. */
  private beginClose(reason: CloseReason): boolean {
    if (this.closeReason !== undefined) return false;
    this.closeReason = reason;
    this.noteHeld();
    this.cancelTick();
    this.cancelStall?.();
    this.cancelProbe?.();
    return true;
  }

  private readonly onSocketClose = (): void => {
    this.beginClose({ kind: "closed", error: this.socket.errored ?? undefined });
    this.isClosed = true;
    this.cancelTick();
    this.releaseWaiters();
    if (this.handlers !== undefined) this.notifyClose();
  };

  private readonly notifyClose = (): void => {
    this.deliver(() => this.handlers!.onClose(this.closeReason!));
  };
}
