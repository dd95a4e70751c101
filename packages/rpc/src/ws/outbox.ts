import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { Flushable, Flusher } from "./flusher.js";

/** Bytes handed to the socket at once; what is more waits here, where it can still be given up. */
const SOCKET_BYTES = 262_144;

export interface OutboxEvents {
  /** More waits than may. */
  onOverflow(): void;
  /** Everything is sent. */
  onDrain(): void;
}

/**
 * What is to be sent on one connection, in order and within bounds. Sizes are counted in characters, which are bytes in
 * almost all that is sent.
 */
export class Outbox implements Flushable {
  private queue: string[] = [];
  private next = 0;
  private queuedBytes = 0;
  private socketBytes = 0;
  private corked = false;

  constructor(
    private readonly webSocket: WebSocket,
    private readonly socket: Socket,
    private readonly maxQueuedBytes: number,
    private readonly flusher: Flusher,
    private readonly events: OutboxEvents,
  ) {}

  /** Bytes that are not sent yet. */
  get waiting(): number {
    return this.queuedBytes + this.socketBytes;
  }

  /** Sends at once, after what was posted before. */
  send(message: string): void {
    this.post(message);
    this.flush();
  }

  /** Sends soon. */
  post(message: string): void {
    this.queue.push(message);
    this.queuedBytes += message.length;
    if (this.queuedBytes > this.maxQueuedBytes) this.events.onOverflow();
    else this.flusher.add(this);
  }

  /** Forgets what is not handed to the socket yet. */
  clear(): void {
    this.queue = [];
    this.next = 0;
    this.queuedBytes = 0;
  }

  /** Hands to the socket what it takes. */
  flush(): void {
    while (this.next < this.queue.length && this.socketBytes < SOCKET_BYTES) this.hand(this.queue[this.next++]!);
    if (this.next === this.queue.length) {
      this.queue = [];
      this.next = 0;
    }
  }

  private hand(message: string): void {
    const bytes = message.length;
    this.queuedBytes -= bytes;
    this.socketBytes += bytes;
    this.cork();
    this.webSocket.send(message, () => {
      this.socketBytes -= bytes;
      this.flush();
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
