import { CambiumError } from "@cambium/primitives";

/** Reasons why batches cannot be published or applied. */
export class ReplicationError extends CambiumError<
  /** An address of a NATS server is malformed. */
  | { code: "SERVER_ADDRESS"; address: string; reason: string }
  /** The stream has no batch `next`; `first` is the lowest one after it, or the latest one that the stream ever had. */
  | { code: "BATCHES_MISSING"; stream: string; next: number; first: number }
  /** This database is no copy of the writer's, or changed while no node ran. */
  | { code: "OTHER_DATABASE"; stream: string; sequence: number }
  /** A batch in the stream is damaged. */
  | { code: "BATCH_DAMAGED"; stream: string; sequence: number; reason: string }
  /** Another node publishes to the same stream. */
  | { code: "OTHER_WRITER"; stream: string }
  /** The description of the copy of the writer's database is malformed. */
  | { code: "COPY_MANIFEST"; stream: string; reason: string }
  /** The copy ends with batch `sequence`, but the stream dropped the next batch during the copy. */
  | { code: "COPY_LATE"; stream: string; sequence: number }
  /** A file of the copy, which its SHA-256 names, is damaged in the object store. */
  | { code: "COPY_DAMAGED"; bucket: string; object: string; reason: string }
  /** The disk has too little room for a copy, in bytes. */
  | { code: "COPY_SPACE"; folder: string; needed: number; available: number }
  /** Another node has become the writer of the stream. */
  | { code: "TERM_ENDED"; stream: string }
  /** The writer did not answer a request. */
  | { code: "WRITER_AWAY"; reason: string }
  /** A request or its answer is longer than the NATS server accepts, in bytes. */
  | { code: "REQUEST_SIZE"; bytes: number; maximum: number }
  /** A replica did not search a piece. */
  /** Too many requests wait for the writer. */
  | { code: "REQUEST_LIMIT"; limit: number }
> {}
