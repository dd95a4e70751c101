import type { Database, Table, Write } from "./database.js";
import { mapKey } from "./keys.js";

/** Entries of one generation. */
const ENTRIES = 16_384;
/** Longer values are read each time. */
const MAX_BYTES = 512;

/**
 * A database that caches recently read or written entries, including absent ones. Only this handle may write data that
 * are read through it. As without a cache, a batch can be read once it is written.
 */
export class CachedDatabase implements Database {
  private readonly recent = new RecentEntries();

  constructor(private readonly database: Database) {}

  get(table: Table, key: Uint8Array): Uint8Array | undefined {
    const name = mapKey(key);
    const known = this.recent.get(table, name);
    if (known !== undefined) return known ?? undefined;
    const value = this.database.get(table, key);
    this.recent.set(table, name, value);
    return value;
  }

  async write(batch: readonly Write[]): Promise<void> {
    await this.database.write(batch);
    // Copied, because a written value is often a part of a larger buffer.
    for (const { table, key, value } of batch) this.recent.set(table, mapKey(key), value?.slice());
  }

  entries(table: Table, prefix?: Uint8Array): ReturnType<Database["entries"]> {
    return this.database.entries(table, prefix);
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

/** Values of a table by key; null if there is none. */
type Values = Map<string, Uint8Array | null>;

/** Two generations of entries: when the newer one is full, the unused rest of the older one is forgotten. */
class RecentEntries {
  private newer: (Values | undefined)[] = [];
  private older: (Values | undefined)[] = [];
  private size = 0;

  /** Returns a value; null if it is known to be absent. */
  get(table: Table, key: string): Uint8Array | null | undefined {
    const value = this.newer[table]?.get(key);
    if (value !== undefined) return value;
    const old = this.older[table]?.get(key);
    if (old !== undefined) this.put(table, key, old);
    return old;
  }

  set(table: Table, key: string, value: Uint8Array | undefined): void {
    if (value === undefined || value.length <= MAX_BYTES) this.put(table, key, value ?? null);
    else for (const generation of [this.newer, this.older]) generation[table]?.delete(key);
  }

  private put(table: Table, key: string, value: Uint8Array | null): void {
    const values = (this.newer[table] ??= new Map());
    const { size } = values;
    values.set(key, value);
    this.size += values.size - size;
    if (this.size < ENTRIES) return;
    this.older = this.newer;
    this.newer = [];
    this.size = 0;
  }
}
