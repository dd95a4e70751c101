import type { Database, Table, Write } from "./database.js";
import { DatabaseError } from "./errors.js";
import { type Level, type LevelDatabaseOptions, openLevel } from "./level-opening.js";
import { LevelWriter } from "./level-writer.js";

/**
 * Opens the database in a directory, creating it if it is missing. Several threads of one process may open the same
 * directory. Rejects with {@link DatabaseError} `DATABASE_OPEN` if that fails or another process has it open.
 */
export async function openLevelDatabase(location: string, options: LevelDatabaseOptions = {}): Promise<Database> {
  try {
    return new LevelDatabase(location, await openLevel(location, options));
  } catch (error) {
    throw new DatabaseError({ code: "DATABASE_OPEN", location, reason: openingFault(error) }, { cause: error });
  }
}

function openingFault(error: unknown): string {
  const cause = (error as Error).cause ?? error;
  return (cause as { code?: string }).code === "LEVEL_LOCKED"
    ? "another process has it open; stop that process or choose another --data-dir"
    : (cause as Error).message || String(cause);
}

class LevelDatabase implements Database {
  private writer: LevelWriter | undefined;
  /** Buffer for the most frequent kind of key, hashes; LevelDB no longer needs it when `get` returns. */
  private readonly hashKey = new Uint8Array(33);

  constructor(
    private readonly location: string,
    private readonly level: Level,
  ) {}

  get(table: Table, key: Uint8Array): Uint8Array | undefined {
    const whole = key.length === 32 ? this.hashKey : new Uint8Array(1 + key.length);
    whole[0] = table;
    whole.set(key, 1);
    return this.level.getSync(whole);
  }

  write(batch: readonly Write[]): Promise<void> {
    this.writer ??= new LevelWriter(this.location);
    return this.writer.write(batch);
  }

  async *entries(table: Table): AsyncGenerator<{ key: Uint8Array; value: Uint8Array }> {
    const range = { gte: Uint8Array.of(table), lt: Uint8Array.of(table + 1) };
    for await (const [key, value] of this.level.iterator(range)) yield { key: key.subarray(1), value };
  }

  async close(): Promise<void> {
    await this.writer?.close();
    await this.level.close();
  }
}
