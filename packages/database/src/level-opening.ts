import { ClassicLevel } from "classic-level";
import { DatabaseError } from "./errors.js";

/** Sizes in bytes; the defaults suit a node on a small machine. */
export interface LevelDatabaseOptions {
  /** Uncompressed blocks kept in memory. */
  cacheSize?: number;
  /** Log size at which LevelDB writes a new table file; up to two buffers of this size are in memory. */
  writeBufferSize?: number;
  /** Table files that LevelDB writes. */
  maxFileSize?: number;
  /** Size of the uncompressed blocks in table files, in bytes. */
  blockSize?: number;
  /** Number of keys after which a block contains a complete key. */
  blockRestartInterval?: number;
  /** Whether blocks are compressed, by Snappy. */
  compression?: boolean;
}

export type Level = ClassicLevel<Uint8Array, Uint8Array>;

const CACHE_SIZE = 16 * 1024 * 1024;
/** The largest one of a large database, and its share of the tables and of the available memory. */
const [WRITE_BUFFER_SIZE, LARGEST_WRITE_BUFFER] = [32 * 1024 * 1024, 128 * 1024 * 1024];
const [SHARE_OF_TABLES, SHARE_OF_MEMORY] = [1 / 4, 1 / 32];
/** A read of a key that is not cached decompresses a whole block. */
const BLOCK_SIZE = 4 * 1024;
const BLOCK_RESTART_INTERVAL = 16;
const MAX_FILE_SIZE = 8 * 1024 * 1024;

/**
 * Returns the size of the write buffer for a database with `tables` bytes of tables. LevelDB soon merges what leaves
 * the buffer into the whole state, because reads make it do so (decision 14): the larger the state, the more a large
 * buffer saves.
 */
export function writeBufferSize(tables: number, available = process.availableMemory()): number {
  const size = Math.min(tables * SHARE_OF_TABLES, available * SHARE_OF_MEMORY, LARGEST_WRITE_BUFFER);
  return Math.round(Math.max(size, WRITE_BUFFER_SIZE));
}

/**
 * Opens a directory. The first handle opened in a process sets the sizes for all threads and owns their shared cache.
 * It must be closed last: the process crashes if another handle reads or writes afterwards. Rejects with
 * {@link DatabaseError} `DATABASE_OPEN` or `DATABASE_FILES`.
 */
export async function openLevel(
  location: string,
  options: LevelDatabaseOptions & { createIfMissing?: boolean } = {},
): Promise<Level> {
  const level: Level = new ClassicLevel(location, {
    keyEncoding: "view",
    valueEncoding: "view",
    multithreading: true,
    createIfMissing: options.createIfMissing ?? false,
    cacheSize: options.cacheSize ?? CACHE_SIZE,
    writeBufferSize: options.writeBufferSize ?? WRITE_BUFFER_SIZE,
    blockSize: options.blockSize ?? BLOCK_SIZE,
    blockRestartInterval: options.blockRestartInterval ?? BLOCK_RESTART_INTERVAL,
    compression: options.compression ?? true,
    maxFileSize: options.maxFileSize ?? MAX_FILE_SIZE,
  });
  try {
    await level.open();
  } catch (error) {
    const { code, message } = causeOf(error);
    // Found by LevelDB itself.
    if (code === "LEVEL_CORRUPTION") {
      throw new DatabaseError(
        { code: "DATABASE_FILES", location, file: "manifest", reason: message },
        { cause: error },
      );
    }
    const reason = code === "LEVEL_LOCKED" ? LOCKED : message;
    throw new DatabaseError({ code: "DATABASE_OPEN", location, reason }, { cause: error });
  }
  return level;
}

const LOCKED = "another process has it open; stop that process or choose another --data-dir";

/** LevelDB's own error, which the one of `classic-level` contains. */
function causeOf(error: unknown): { code: string | undefined; message: string } {
  const { code, message } = ((error as Error).cause ?? error) as { code?: string; message?: string };
  return { code, message: message || String(error) };
}
