import type { Database, Table, Write } from "./database.js";

/** A database that measures how long one in `every` reads takes, in microseconds. */
export class TimedDatabase implements Database {
  private untimed = 0;

  constructor(
    private readonly database: Database,
    private readonly every: number,
    private readonly note: (microseconds: number) => void,
  ) {}

  get(table: Table, key: Uint8Array): Uint8Array | undefined {
    if (++this.untimed < this.every) return this.database.get(table, key);
    this.untimed = 0;
    const start = performance.now();
    const value = this.database.get(table, key);
    this.note((performance.now() - start) * 1_000);
    return value;
  }

  write(batch: readonly Write[]): Promise<void> {
    return this.database.write(batch);
  }

  entries(table: Table, prefix?: Uint8Array): ReturnType<Database["entries"]> {
    return this.database.entries(table, prefix);
  }

  close(): Promise<void> {
    return this.database.close();
  }
}
