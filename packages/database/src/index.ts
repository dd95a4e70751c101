export type { Database, KeyValueReader, Table, Write } from "./database.js";
export { DatabaseError } from "./errors.js";
export { fromMapKey, mapKey, numberKey, readNumber, writeNumber } from "./keys.js";
export { openLevelDatabase } from "./level-database.js";
export type { LevelDatabaseOptions } from "./level-opening.js";
export { MemoryDatabase } from "./memory-database.js";
export { WriteQueue } from "./write-queue.js";
