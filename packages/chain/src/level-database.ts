import { ClassicLevel } from "classic-level";
import type { Database, KeyRange, Write } from "./database.js";
import { ChainError } from "./errors.js";

/** Sizes in bytes; the defaults suit a node on a small machine. */
export interface LevelDatabaseOptions {
  /** Uncompressed blocks kept in memory. */
  cacheSize?: number;
  /** Log size at which LevelDB starts a new table file; up to two such buffers are in memory. */
  writeBufferSize?: number;
}

const CACHE_SIZE = 64 * 1024 * 1024;
const WRITE_BUFFER_SIZE = 32 * 1024 * 1024;
const MAX_FILE_SIZE = 16 * 1024 * 1024;

type Level = ClassicLevel<Uint8Array, Uint8Array>;

/**
 * Opens (or creates) the database in a directory. Throws {@link ChainError} `DATABASE_OPEN`. Several threads of one
 * process may open the same directory; another process is refused.
 */
export async function openLevelDatabase(location: string, options: LevelDatabaseOptions = {}): Promise<Database> {
  const level: Level = new ClassicLevel(location, {
    keyEncoding: "view",
    valueEncoding: "view",
    multithreading: true,
    cacheSize: options.cacheSize ?? CACHE_SIZE,
    writeBufferSize: options.writeBufferSize ?? WRITE_BUFFER_SIZE,
    maxFileSize: MAX_FILE_SIZE,
  });
  try {
    await level.open();
  } catch (error) {
    throw new ChainError({ code: "DATABASE_OPEN", location, reason: openingFault(error) }, { cause: error });
  }
  return new LevelDatabase(level);
}

function openingFault(error: unknown): string {
  const cause = (error as Error).cause ?? error;
  return (cause as { code?: string }).code === "LEVEL_LOCKED"
    ? "another process uses it"
    : (cause as Error).message || String(cause);
}

class LevelDatabase implements Database {
  constructor(private readonly level: Level) {}

  get(key: Uint8Array): Uint8Array | undefined {
    return this.level.getSync(key);
  }

  async write(batch: readonly Write[]): Promise<void> {
    await this.level.batch(
      batch.map(({ key, value }) => (value === undefined ? { type: "del", key } : { type: "put", key, value })),
    );
  }

  async *entries({ from, to }: KeyRange): AsyncGenerator<{ key: Uint8Array; value: Uint8Array }> {
    for await (const [key, value] of this.level.iterator({ gte: from, lt: to })) yield { key, value };
  }

  async close(): Promise<void> {
    await this.level.close();
  }
}
