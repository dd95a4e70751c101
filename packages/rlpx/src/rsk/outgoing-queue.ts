import type { Clock, Counter } from "@cambium/primitives";
import type { EncodedMessage } from "./encoding.js";
import { KIB, MIB } from "./limits.js";
import type { MessageChannel } from "./message-channel.js";
import { PACE_LIMIT, SendingPace, STEADY_INTERVAL } from "./sending-pace.js";

/** Kinds of messages, the most urgent first. */
const URGENCIES = ["announcement", "answer", "transactions", "request"] as const;

export type Urgency = (typeof URGENCIES)[number];

interface QueueBounds {
  /** Share of the peer's message budget that this queue may use; the rest is reserved for more urgent messages. */
  pace: number;
  messages: number;
  /** Maximum size of the queue in bytes; a single message may be larger. */
  bytes: number;
  /** Milliseconds after which a message is useless. */
  maxWait: number;
}

/** Maximum delay of an answer. The deployed client awaits it for 30 s, and punishes a later one (`spec/07 §B.5`). */
const MAX_ANSWER_WAIT = 20_000;
/** Number of answers that the pace admits in this time, even after a burst. */
export const MAX_QUEUED_ANSWERS = Math.floor(MAX_ANSWER_WAIT / STEADY_INTERVAL);

const BOUNDS: Readonly<Record<Urgency, QueueBounds>> = {
  announcement: { pace: PACE_LIMIT, messages: 64, bytes: 8 * MIB, maxWait: Number.POSITIVE_INFINITY },
  answer: { pace: PACE_LIMIT - 30, messages: MAX_QUEUED_ANSWERS, bytes: 8 * MIB, maxWait: MAX_ANSWER_WAIT },
  transactions: { pace: PACE_LIMIT - 30, messages: 256, bytes: 2 * MIB, maxWait: Number.POSITIVE_INFINITY },
  request: { pace: PACE_LIMIT - 60, messages: 256, bytes: 64 * KIB, maxWait: Number.POSITIVE_INFINITY },
};

/** A queued message; `onSent` runs once it is passed to the channel. */
export interface QueuedMessage extends EncodedMessage {
  /** Counter of the message's bytes once it is sent. */
  measured?: Counter;
  onSent?(): void;
}

interface Entry {
  message: QueuedMessage;
  queuedAt: number;
}

class BoundedQueue {
  bytes = 0;
  private entries: Entry[] = [];

  constructor(readonly bounds: QueueBounds) {}

  get length(): number {
    return this.entries.length;
  }

  get first(): Entry | undefined {
    return this.entries[0];
  }

  add(entry: Entry): boolean {
    const bytes = this.bytes + entry.message.payload.length;
    const fits = this.length < this.bounds.messages && bytes <= this.bounds.bytes;
    if (!fits && this.length > 0) return false;
    this.entries.push(entry);
    this.bytes = bytes;
    return true;
  }

  remove(message: QueuedMessage): void {
    const index = this.entries.findIndex((entry) => entry.message === message);
    if (index < 0) return;
    this.entries.splice(index, 1);
    this.bytes -= message.payload.length;
  }
}

/** Messages to one peer, in order of urgency, that wait for the {@link SendingPace} or for the channel. */
export class OutgoingQueue {
  private readonly pace = new SendingPace();
  private readonly queues = URGENCIES.map((urgency) => new BoundedQueue(BOUNDS[urgency]));
  private cancelTimer: (() => void) | undefined;
  private isBlocked = false;
  private isClosed = false;
  private expiredCount = 0;

  constructor(
    private readonly channel: MessageChannel,
    private readonly clock: Clock,
  ) {}

  /** Number of messages that were dropped because they waited too long. */
  get expired(): number {
    return this.expiredCount;
  }

  /** Returns the number of waiting messages of an urgency. */
  waiting(urgency: Urgency): number {
    return this.queueOf(urgency).length;
  }

  /** Sends a message as soon as possible. Returns false if too many wait. */
  add(urgency: Urgency, message: QueuedMessage): boolean {
    if (this.isClosed || !this.queueOf(urgency).add({ message, queuedAt: this.clock.now() })) return false;
    this.sendWhatIsDue();
    this.noteWaiting();
    return true;
  }

  /** Removes a message that has not been sent. */
  remove(urgency: Urgency, message: QueuedMessage): void {
    this.queueOf(urgency).remove(message);
    this.noteWaiting();
  }

  close(): void {
    this.isClosed = true;
    this.cancelTimer?.();
  }

  private noteWaiting(): void {
    this.channel.noteWaiting?.(this.queues.reduce((sum, { bytes }) => sum + bytes, 0));
  }

  private queueOf(urgency: Urgency): BoundedQueue {
    return this.queues[URGENCIES.indexOf(urgency)]!;
  }

  private sendWhatIsDue(): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    while (!this.isBlocked && !this.isClosed) {
      const now = this.clock.now();
      const queue = this.queues.find((queue) => this.hasFresh(queue, now));
      if (queue === undefined) return;
      // Less urgent messages have lower limits: they are not due before this one.
      const due = this.pace.earliest(queue.bounds.pace, now);
      if (due > now) {
        this.cancelTimer = this.clock.after(Math.ceil(due - now), () => {
          this.sendWhatIsDue();
          this.noteWaiting();
        });
        return;
      }
      this.send(queue, now);
    }
  }

  /** Whether a waiting message is still useful; removes useless ones. */
  private hasFresh(queue: BoundedQueue, now: number): boolean {
    for (let first = queue.first; first !== undefined; first = queue.first) {
      if (now - first.queuedAt <= queue.bounds.maxWait) return true;
      queue.remove(first.message);
      this.expiredCount++;
    }
    return false;
  }

  private send(queue: BoundedQueue, now: number): void {
    const { message } = queue.first!;
    queue.remove(message);
    this.pace.note(now);
    message.measured?.add(message.payload.length);
    message.onSent?.();
    if (!this.channel.send(message.code, message.payload)) this.waitUntilDrained();
  }

  private waitUntilDrained(): void {
    this.isBlocked = true;
    const resume = () => {
      this.isBlocked = false;
      this.sendWhatIsDue();
      this.noteWaiting();
    };
    // The owner closes a channel that fails.
    this.channel.drained().then(resume, () => undefined);
  }
}
