import {
  DiscardPolicy,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamState,
} from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { batchSubject } from "./connection.js";
import { openStream } from "./open-stream.js";
import type { SealedStream } from "./seal.js";

/** Retention of batches in a stream. A replica that is away for longer starts from a new copy. */
export interface Retention {
  /** Maximum age in milliseconds. */
  maxAge: number;
  /** Maximum size in bytes. */
  maxBytes: number;
}

export interface BatchStreamOptions {
  address: SealedStream;
  retention: Retention;
  /** Number of NATS servers of a cluster that keep the stream. */
  redundancy: number;
}

/** Creates the stream of batches, or adjusts its limits. */
export async function openBatchStream(
  manager: JetStreamManager,
  { address, retention, redundancy }: BatchStreamOptions,
): Promise<StreamState> {
  const limits = {
    subjects: [batchSubject(address)],
    max_age: nanos(retention.maxAge),
    max_bytes: retention.maxBytes,
    num_replicas: redundancy,
  };
  const fixed = { retention: RetentionPolicy.Limits, discard: DiscardPolicy.Old, storage: StorageType.File };
  return openStream(manager, address.stream, limits, fixed);
}
