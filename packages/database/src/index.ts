export { BatchFollower } from "./batch-follower.js";
export { type BatchLogOptions, batchLogMemory } from "./batch-log.js";
export { BatchLogReader, type LinkedBatch } from "./batch-log-reader.js";
export { CachedDatabase } from "./cached-database.js";
export { compactTables } from "./compact-tables.js";
export { type Database, type KeyValueReader, type Table, type Write, YoungWrite } from "./database.js";
export { databasePath } from "./database-path.js";
export { DelayedDatabase } from "./delayed-database.js";
export { DatabaseError } from "./errors.js";
export type { BatchLink } from "./integrity/batch-chain.js";
export { hasDatabase } from "./integrity/database-files.js";
export { type FileProblem, tableProblem } from "./integrity/file-check.js";
export { lockDatabase } from "./integrity/lock.js";
export {
  copyDatabaseFiles,
  databaseSize,
  type RestoredFiles,
  repairedPath,
  restoreFiles,
} from "./integrity/restore-files.js";
export { verifyTables } from "./integrity/running-check.js";
export { copyRunningDatabase } from "./integrity/running-copy.js";
export { fromMapKey, mapKey, numberKey, readNumber, writeNumber, writeUint32 } from "./keys.js";
export { attachLevelDatabase, openLevelDatabase, openUnverified } from "./level-database.js";
export type { LevelDatabaseOptions } from "./level-opening.js";
export { makeFolder } from "./make-folder.js";
export { MemoryDatabase } from "./memory-database.js";
export { type BatchTarget, scanBatch } from "./packed-batch.js";
export { tableSizes } from "./table-sizes.js";
export { WriteQueue } from "./write-queue.js";
