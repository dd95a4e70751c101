import { LruCache } from "@cambium/primitives";
import type { Database, Table, Write } from "./database.js";
import { mapKey } from "./keys.js";

const ENTRIES = 16_384;
/** Longer values are read each time. */
const MAX_BYTES = 512;

/**
 * A database that keeps entries which were read or written lately, also that there is none: for a handle that alone writes what is read
 * through it. As without it, a batch can be read once it is written.
 */
export class CachedDatabase implements Database {
  private readonly recent = new LruCache<string, { value: Uint8Array | undefined }>(ENTRIES);

  constructor(private readonly database: Database) {}

  get(table: Table, key: Uint8Array): Uint8Array | undefined {
    const name = nameOf(table, key);
    const known = this.recent.get(name);
    if (known !== undefined) return known.value;
    const value = this.database.get(table, key);
    this.keep(name, value);
    return value;
  }

  async write(batch: readonly Write[]): Promise<void> {
    await this.database.write(batch);
    // Copied: what is written is often a part of something larger.
    for (const { table, key, value } of batch) this.keep(nameOf(table, key), value?.slice());
  }

  entries(table: Table): ReturnType<Database["entries"]> {
    return this.database.entries(table);
  }

  close(): Promise<void> {
    return this.database.close();
  }

  private keep(name: string, value: Uint8Array | undefined): void {
    if (value === undefined || value.length <= MAX_BYTES) this.recent.set(name, { value });
    else this.recent.delete(name);
  }
}

function nameOf(table: Table, key: Uint8Array): string {
  return String.fromCharCode(table) + mapKey(key);
}
