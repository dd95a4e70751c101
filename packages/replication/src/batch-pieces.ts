import type { LinkedBatch } from "@cambium/database";
import { equalBytes, joinBytes } from "@cambium/primitives";
import { ReplicationError } from "./errors.js";
import { type BatchPiece, beginsTerm } from "./stream-message.js";

/** Maximum size of a batch, in bytes. Batches usually have some megabytes at most. */
const MAX_BATCH = 1_000_000_000;

export interface CompleteBatch {
  /** The last piece of the batch. */
  piece: BatchPiece;
  batch: LinkedBatch;
}

/** Assembles batches from their pieces. */
export class BatchPieces {
  private parts: Uint8Array[] = [];
  private bytes = 0;
  private of: BatchPiece | undefined;

  constructor(private readonly stream: string) {}

  /**
   * Adds a piece. Returns the batch if the piece completes it. Throws {@link ReplicationError} `BATCH_DAMAGED` or
   * `BATCHES_MISSING`.
   */
  add(piece: BatchPiece, content: Uint8Array): CompleteBatch | undefined {
    // A new writer resends a partly published batch from its first piece, and so does a writer with another piece size.
    if (beginsTerm(piece) || piece.index === 0) [this.parts, this.bytes] = [[], 0];
    if (beginsTerm(piece)) return undefined;
    this.requireNext(piece);
    this.parts.push(content);
    this.bytes += content.length;
    this.of = piece;
    if (this.bytes > MAX_BATCH) throw this.damaged(piece, `it has more than ${MAX_BATCH} bytes`);
    if (this.parts.length < piece.count) return undefined;
    const [only] = this.parts;
    const packed = this.parts.length === 1 ? only! : joinBytes(this.parts);
    [this.parts, this.bytes] = [[], 0];
    return { piece, batch: { ...piece.batch, packed } };
  }

  private requireNext(piece: BatchPiece): void {
    const { index, batch, count } = piece;
    if (index === 0) return;
    const { length } = this.parts;
    // The stream has dropped the first pieces.
    if (length === 0) {
      const { sequence } = batch;
      throw new ReplicationError({ code: "BATCHES_MISSING", stream: this.stream, next: sequence, first: sequence + 1 });
    }
    const isSame = equalBytes(batch.hash, this.of!.batch.hash) && count === this.of!.count;
    if (index !== length || !isSame)
      throw this.damaged(piece, `piece ${index} of ${count} follows piece ${length - 1}`);
  }

  private damaged({ batch }: BatchPiece, reason: string): ReplicationError {
    return new ReplicationError({ code: "BATCH_DAMAGED", stream: this.stream, sequence: batch.sequence, reason });
  }
}
