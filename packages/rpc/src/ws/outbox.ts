import type { Socket } from "node:net";
import type { WebSocket } from "ws";

/** Bytes handed to the socket at once; what is more waits here, where it can still be given up. */
const SOCKET_BYTES = 262_144;

export interface OutboxEvents {
  /** More waits than may. */
  onOverflow(): void;
  /** Everything is sent. */
  onDrain(): void;
}

/** What is to be sent on one connection, in order and within bounds. */
export class Outbox {
  private queue: string[] = [];
  private next = 0;
  private queuedBytes = 0;
  private socketBytes = 0;
  private corked = false;

  constructor(
    private readonly webSocket: WebSocket,
    private readonly socket: Socket,
    private readonly maxQueuedBytes: number,
    private readonly events: OutboxEvents,
  ) {}

  /** Bytes that are not sent yet. */
  get waiting(): number {
    return this.queuedBytes + this.socketBytes;
  }

  send(message: string): void {
    this.queue.push(message);
    this.queuedBytes += Buffer.byteLength(message);
    this.pump();
    if (this.queuedBytes > this.maxQueuedBytes) this.events.onOverflow();
  }

  /** Forgets what is not handed to the socket yet. */
  clear(): void {
    this.queue = [];
    this.next = 0;
    this.queuedBytes = 0;
  }

  private pump(): void {
    while (this.next < this.queue.length && this.socketBytes < SOCKET_BYTES) this.hand(this.queue[this.next++]!);
    if (this.next === this.queue.length) {
      this.queue = [];
      this.next = 0;
    }
  }

  private hand(message: string): void {
    const bytes = Buffer.byteLength(message);
    this.queuedBytes -= bytes;
    this.socketBytes += bytes;
    this.cork();
    this.webSocket.send(message, () => {
      this.socketBytes -= bytes;
      this.pump();
      if (this.waiting === 0) this.events.onDrain();
    });
  }

  /** Messages of one turn of the event loop leave in one write: a block can mean hundreds of them. */
  private cork(): void {
    if (this.corked) return;
    this.corked = true;
    this.socket.cork();
    process.nextTick(() => {
      this.corked = false;
      this.socket.uncork();
    });
  }
}
