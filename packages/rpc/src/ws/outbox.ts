import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { Share } from "../connections/byte-budget.js";
import type { Flushable, Flusher } from "./flusher.js";

/**
 * Number of bytes passed to the socket at a time. The rest is queued in this object, where it can still be discarded.
 */
const SOCKET_BYTES = 262_144;

interface Outgoing {
  text: string;
  compress: boolean;
}

export interface OutboxEvents {
  /** Called when the queue exceeds its limit, or the budget of all connections is exceeded. */
  onOverflow(): void;
  /** Called when everything has been sent. */
  onDrain(): void;
}

/**
 * Bounded queue of the messages to send on one connection. Sizes are counted in characters, which equal bytes in almost
 * all messages.
 */
export class Outbox implements Flushable {
  private queue: Outgoing[] = [];
  private next = 0;
  private queuedBytes = 0;
  private socketBytes = 0;
  private corked = false;

  constructor(
    private readonly webSocket: WebSocket,
    private readonly socket: Socket,
    private readonly maxQueuedBytes: number,
    private readonly share: Share,
    private readonly flusher: Flusher,
    private readonly events: OutboxEvents,
  ) {}

  /** Number of bytes not sent yet. */
  get waiting(): number {
    return this.queuedBytes + this.socketBytes;
  }

  /** Sends a response immediately, after earlier posts; a large one is compressed if the client accepts it. */
  send(response: string): void {
    this.add({ text: response, compress: true });
    this.flush();
  }

  /**
   * Queues a notification to be sent with the next flush. Thousands of clients may receive it, with a separate
   * compression for each.
   */
  post(notification: string): void {
    this.add({ text: notification, compress: false });
  }

  private add(message: Outgoing): void {
    const bytes = message.text.length;
    if (this.queuedBytes + bytes > this.maxQueuedBytes || !this.share.take(bytes)) {
      this.events.onOverflow();
      return;
    }
    this.queue.push(message);
    this.queuedBytes += bytes;
    this.flusher.add(this);
  }

  /** Discards all messages not yet passed to the socket. */
  clear(): void {
    this.queue = [];
    this.next = 0;
    this.share.give(this.queuedBytes);
    this.queuedBytes = 0;
  }

  /** Passes queued messages to the socket as far as it accepts them. */
  flush(): void {
    while (this.next < this.queue.length && this.socketBytes < SOCKET_BYTES) this.hand(this.queue[this.next++]!);
    if (this.next === this.queue.length) {
      this.queue = [];
      this.next = 0;
    }
  }

  private hand({ text, compress }: Outgoing): void {
    const bytes = text.length;
    this.queuedBytes -= bytes;
    this.socketBytes += bytes;
    this.cork();
    this.webSocket.send(text, { compress }, () => {
      this.socketBytes -= bytes;
      this.share.give(bytes);
      this.flush();
      if (this.waiting === 0) this.events.onDrain();
    });
  }

  /** Sends the messages of one turn of the event loop in one write: a block can cause hundreds. */
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
