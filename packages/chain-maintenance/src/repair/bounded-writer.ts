import type { Database, Write } from "@cambium/database";

/** Limits of a batch, which is in memory twice. */
const BATCH_CHANGES = 10_000;
const BATCH_BYTES = 4 * 1024 * 1024;

/** Gathers changes that need not be written together, and writes them in batches of bounded size. */
export class BoundedWriter {
  private writes: Write[] = [];
  private bytes = 0;

  constructor(private readonly database: Database) {}

  get isFull(): boolean {
    return this.writes.length >= BATCH_CHANGES || this.bytes >= BATCH_BYTES;
  }

  add(write: Write): void {
    this.writes.push(write);
    this.bytes += write.key.length + (write.value?.length ?? 0);
  }

  /** Adds changes, and writes the batch if it is full. */
  async append(writes: readonly Write[]): Promise<void> {
    for (const write of writes) this.add(write);
    if (this.isFull) await this.flush();
  }

  /** Writes the gathered changes together with `last`. */
  async flush(last: readonly Write[] = []): Promise<void> {
    const writes = [...this.writes, ...last];
    this.writes = [];
    this.bytes = 0;
    if (writes.length > 0) await this.database.write(writes);
  }
}
