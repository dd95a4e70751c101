export { FeedError } from "./errors.js";
export { Feed } from "./feed.js";
export { NodeClient } from "./node-client.js";
export { BLOCK_TABLES, type BlockTable, POOL_TABLE, type Row, TABLES, type TableName } from "./schema.js";
export type { Sink } from "./sink.js";
export { ClickHouseSink } from "./sinks/clickhouse.js";
export { NatsSink } from "./sinks/nats.js";
export { ParquetSink } from "./sinks/parquet.js";
