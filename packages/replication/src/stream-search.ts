import type { JetStreamManager, StreamState } from "@nats-io/jetstream";
import { headersOf } from "./connection.js";
import type { ForeignMessages } from "./foreign-messages.js";
import type { SealedStream } from "./seal.js";
import { type BatchPiece, readPiece, type StoredMessage } from "./stream-message.js";

/** Maximum number of concurrent requests. Each response may have the maximum size of the server. */
const MAX_TOGETHER = 8;
/** Number of foreign messages after which a search ends, and treats the remaining messages as foreign. */
const MAX_OTHERS = 20_000;

/** A message that was found: its sequence number and its decoded content. */
export interface Found<T> {
  seq: number;
  value: T;
}

type Range = Pick<StreamState, "first_seq" | "last_seq">;

/** A single search for messages of one program, in a stream to which other programs may publish. */
export class StreamSearch<T> {
  private others = 0;

  constructor(
    private readonly manager: JetStreamManager,
    private readonly stream: string,
    /** Decodes a message; returns undefined if another program sent it. */
    private readonly read: (message: StoredMessage) => T | undefined,
    private readonly foreign?: ForeignMessages,
  ) {}

  /** Finds the last message; resolves to undefined if there is none. */
  async last({ first_seq, last_seq }: Range): Promise<Found<T> | undefined> {
    let end = last_seq + 1;
    for (let count = 1; end > first_seq && this.goesOn; count = Math.min(2 * count, MAX_TOGETHER)) {
      const start = Math.max(end - count, first_seq);
      const found = (await this.between(start, end)).at(-1);
      if (found !== undefined) return found;
      end = start;
    }
    return undefined;
  }

  /** Finds the first message from `from` on; resolves to undefined if there is none before `end`. */
  async first(from: number, end: number): Promise<Found<T> | undefined> {
    let start = from;
    for (let count = 1; start < end && this.goesOn; count = Math.min(2 * count, MAX_TOGETHER)) {
      const next = Math.min(start + count, end);
      const [found] = await this.between(start, next);
      if (found !== undefined) return found;
      start = next;
    }
    return undefined;
  }

  /**
   * Finds the message at which to start reading, in order to receive all messages that are not early. Resolves to the
   * number after the last message if there are none.
   */
  async startOf(isEarly: (value: T) => boolean, { first_seq, last_seq }: Range): Promise<number> {
    let [low, high] = [first_seq, last_seq + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const found = await this.first(middle, high);
      if (found !== undefined && isEarly(found.value)) low = found.seq + 1;
      else high = middle;
    }
    return low;
  }

  private get goesOn(): boolean {
    return this.others < MAX_OTHERS;
  }

  private async between(start: number, end: number): Promise<Found<T>[]> {
    const numbers = Array.from({ length: end - start }, (_, index) => start + index);
    const found = await Promise.all(numbers.map((seq) => this.at(seq)));
    return found.filter((message) => message !== undefined);
  }

  private async at(seq: number): Promise<Found<T> | undefined> {
    const { stream } = this;
    const message = await this.manager.streams.getMessage(stream, { seq });
    const stored = message && { seq, data: message.data, headers: headersOf(() => message.header) };
    const value = stored === null ? undefined : this.read(stored);
    if (value !== undefined) return { seq, value };
    this.others++;
    if (message !== null) this.foreign?.skipped({ stream, message: seq });
    return undefined;
  }
}

/** Creates a search for the sealed messages of a stream of batches. */
export function batchSearch(
  manager: JetStreamManager,
  { stream, seal }: SealedStream,
  foreign?: ForeignMessages,
): StreamSearch<BatchPiece> {
  return new StreamSearch(manager, stream, (message) => readPiece(message, seal), foreign);
}
