import type { JetStreamManager, StreamState } from "@nats-io/jetstream";
import { headersOf } from "./connection.js";
import type { ForeignMessages } from "./foreign-messages.js";
import type { SealedStream } from "./seal.js";
import { type BatchPiece, readPiece } from "./stream-message.js";

/** Messages that are requested at the same time, at most. */
const MAX_TOGETHER = 32;
/** Messages of other programs that a search looks at, about. All that it has not seen then count as such. */
const MAX_OTHERS = 20_000;

/** A message that a writer of the stream has sent. */
export interface OwnMessage {
  seq: number;
  piece: BatchPiece;
}

type Range = Pick<StreamState, "first_seq" | "last_seq">;

/** A search in a stream for messages of its writers, between which other programs may have published. */
export class OwnMessages {
  private others = 0;

  constructor(
    private readonly manager: JetStreamManager,
    private readonly address: SealedStream,
    private readonly foreign?: ForeignMessages,
  ) {}

  /** The last one; undefined if there is none. */
  async last({ first_seq, last_seq }: Range): Promise<OwnMessage | undefined> {
    let end = last_seq + 1;
    for (let count = 1; end > first_seq && this.goesOn; count = Math.min(2 * count, MAX_TOGETHER)) {
      const start = Math.max(end - count, first_seq);
      const found = (await this.between(start, end)).at(-1);
      if (found !== undefined) return found;
      end = start;
    }
    return undefined;
  }

  /** The first one from a number on; undefined if there is none before `end`. */
  async first(from: number, end: number): Promise<OwnMessage | undefined> {
    let start = from;
    for (let count = 1; start < end && this.goesOn; count = Math.min(2 * count, MAX_TOGETHER)) {
      const next = Math.min(start + count, end);
      const [found] = await this.between(start, next);
      if (found !== undefined) return found;
      start = next;
    }
    return undefined;
  }

  /** Number from which the stream has to be read to receive a batch and all later ones; one more than the last message if it has none. */
  async startOf(batch: number, { first_seq, last_seq }: Range): Promise<number> {
    let [low, high] = [first_seq, last_seq + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const found = await this.first(middle, high);
      if (found === undefined || found.piece.batch.sequence >= batch) high = middle;
      else low = found.seq + 1;
    }
    return low;
  }

  private get goesOn(): boolean {
    return this.others < MAX_OTHERS;
  }

  private async between(start: number, end: number): Promise<OwnMessage[]> {
    const numbers = Array.from({ length: end - start }, (_, index) => start + index);
    const found = await Promise.all(numbers.map((seq) => this.at(seq)));
    return found.filter((message) => message !== undefined);
  }

  private async at(seq: number): Promise<OwnMessage | undefined> {
    const { stream, seal } = this.address;
    const message = await this.manager.streams.getMessage(stream, { seq });
    const stored = message && { seq, data: message.data, headers: headersOf(() => message.header) };
    const piece = stored === null ? undefined : readPiece(stored, seal);
    if (piece !== undefined) return { seq, piece };
    this.others++;
    if (message !== null) this.foreign?.skipped({ stream, message: seq });
    return undefined;
  }
}
