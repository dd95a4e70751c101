import { counter, DURATIONS, gauge, histogram } from "@cambium/primitives";

export const READS = counter("cambium_database_reads_total", "Keys looked up in LevelDB");
export const READ_BYTES = counter("cambium_database_read_bytes_total", "Bytes of the values read from LevelDB");
export const WRITTEN_BYTES = counter("cambium_database_written_bytes_total", "Bytes of the batches written to LevelDB");
export const BATCH_TIME = histogram("cambium_database_batch_seconds", "Time to write a batch to LevelDB", DURATIONS);
export const WAITING_CHANGES = gauge(
  "cambium_database_unwritten_changes",
  "Changes of imported blocks that are not on disk yet",
);
