import type { Database, Table, Write } from "./database.js";
import type { DatabaseError } from "./errors.js";
import { WriteQueue } from "./write-queue.js";

export interface DelayedDatabaseOptions {
  /** Milliseconds for which batches are gathered before they are written together. */
  delay: number;
  /** Number of changes in memory above which {@link DelayedDatabase.write} waits. */
  capacity?: number;
  /**
   * Called for each batch that cannot be written although {@link DelayedDatabase.write} has accepted it. It can still
   * be read from memory.
   */
  onFailure?: (error: DatabaseError) => void;
}

/**
 * A database whose batches can be read through it immediately, and are written a little later. A killed process loses
 * the last ones, each as a whole. Other handles of the same database read them after {@link written}.
 */
export class DelayedDatabase implements Database {
  private readonly queue: WriteQueue;
  private readonly onFailure: (error: DatabaseError) => void;

  constructor(
    private readonly database: Database,
    { onFailure = () => undefined, ...options }: DelayedDatabaseOptions,
  ) {
    this.queue = new WriteQueue(database, options);
    this.onFailure = onFailure;
  }

  get(table: Table, key: Uint8Array): Uint8Array | undefined {
    return this.queue.get(table, key);
  }

  /**
   * Waits only while too many changes are unwritten. Rejects with `DatabaseError` `DATABASE_WRITE` if an earlier batch
   * could not be written.
   */
  write(batch: readonly Write[]): Promise<void> {
    this.queue.append(batch).catch(this.onFailure);
    return this.queue.room();
  }

  /**
   * Writes nothing until the returned function is called: all batches until then become one. See
   * {@link WriteQueue.hold}.
   */
  hold(): () => void {
    return this.queue.hold();
  }

  /** Resolves when all batches so far are written. Rejects as {@link write} does. */
  async written(): Promise<void> {
    await this.queue.written();
  }

  async *entries(table: Table, prefix?: Uint8Array): AsyncGenerator<{ key: Uint8Array; value: Uint8Array }> {
    await this.written();
    yield* this.database.entries(table, prefix);
  }

  /** A failure to write was, or would have been, reported by {@link write}. */
  async close(): Promise<void> {
    await this.queue.idle().catch(() => undefined);
    await this.database.close();
  }
}
