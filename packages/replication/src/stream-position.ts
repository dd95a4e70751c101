import type { JetStreamManager, StreamState } from "@nats-io/jetstream";
import { ReplicationError } from "./errors.js";
import { type BatchPiece, readPiece } from "./stream-message.js";

/** The message with a number; undefined if it was dropped. Rejects with {@link ReplicationError} `OTHER_WRITER` for one of another program. */
export async function pieceAt(manager: JetStreamManager, stream: string, seq: number): Promise<BatchPiece | undefined> {
  const message = await manager.streams.getMessage(stream, { seq });
  return message === null ? undefined : requiredPiece(stream, message.header);
}

/** Throws {@link ReplicationError} `OTHER_WRITER` for a message of another program. */
export function requiredPiece(stream: string, header: Parameters<typeof readPiece>[0]): BatchPiece {
  const piece = readPiece(header);
  if (piece === undefined) throw new ReplicationError({ code: "OTHER_WRITER", stream });
  return piece;
}

/** Number of the first message of a batch or a later one; one more than the last message if there is none. Rejects as {@link pieceAt}. */
export async function firstMessageOf(
  manager: JetStreamManager,
  stream: string,
  { first_seq, last_seq }: Pick<StreamState, "first_seq" | "last_seq">,
  batch: number,
): Promise<number> {
  let [low, high] = [first_seq, last_seq + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const piece = await pieceAt(manager, stream, middle);
    if (piece === undefined || piece.batch.sequence < batch) low = middle + 1;
    else high = middle;
  }
  return low;
}
