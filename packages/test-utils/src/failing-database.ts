import type { Database, MemoryDatabase, Write } from "@cambium/database";

/** Accepts a number of batches and then fails every one, like a full disk. */
export class FailingDatabase implements Database {
  constructor(
    private readonly inner: MemoryDatabase,
    private batches: number,
  ) {}

  get: Database["get"] = (table, key) => this.inner.get(table, key);
  entries: Database["entries"] = (table) => this.inner.entries(table);
  close = () => this.inner.close();

  async write(batch: readonly Write[]): Promise<void> {
    if (this.batches-- <= 0) throw new Error("disk full");
    await this.inner.write(batch);
  }
}
