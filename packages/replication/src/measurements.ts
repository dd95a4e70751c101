import { counter, DURATIONS, gauge, histogram } from "@cambium/primitives";

export const PUBLISHED_BATCHES = counter(
  "cambium_replication_published_batches_total",
  "Batches published for replicas",
);
export const PUBLISHED_BYTES = counter("cambium_replication_published_bytes_total", "Bytes of these batches");
export const backlog = settable("cambium_replication_backlog_batches", "Batches on disk that are not published yet");
export const COPIED_BYTES = counter(
  "cambium_replication_copied_bytes_total",
  "Bytes of files that were sent to the object store, for copies of the database",
);
export const copied = settable(
  "cambium_replication_copy_timestamp_seconds",
  "When the copy in the object store was complete, seconds since 1970",
);
export const isWriter = settable(
  "cambium_replication_writer",
  "1 while this node has the lease of the stream and publishes, 0 while it stands by; of a node with --replicate.standby",
);
export const ROLE_CHANGES = counter(
  "cambium_replication_role_changes_total",
  "Times that this node became the writer of the stream, or ceased to be it",
);
export const APPLIED_BATCHES = counter(
  "cambium_replica_applied_batches_total",
  "Batches of the writer that were applied",
);
export const APPLIED_BYTES = counter("cambium_replica_applied_bytes_total", "Bytes of these batches");
export const APPLY_LAG = histogram(
  "cambium_replica_lag_seconds",
  "Time from the arrival of a batch at the stream until it can be read here",
  DURATIONS,
);
export const lagBlocks = settable(
  "cambium_replica_lag_blocks",
  "Blocks that the best block is behind that of the writer",
);
export const FOREIGN = counter(
  "cambium_replication_foreign_messages_total",
  "Messages that were skipped, because no node with the same key, network and stream has sent them",
);
export const FORWARDED = counter(
  "cambium_replica_forwarded_requests_total",
  "JSON-RPC requests forwarded to the writer",
);

/** Returns a gauge that one object of the process sets. */
function settable(name: string, help: string): { set(value: number): void } {
  const sum = gauge(name, help);
  let latest = 0;
  return {
    set(value) {
      sum.add(value - latest);
      latest = value;
    },
  };
}
