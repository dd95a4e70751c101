import { EMPTY_BYTES } from "@cambium/primitives";
import type { Database, Table, Write } from "./database.js";
import { fromMapKey, mapKey } from "./keys.js";

type Values = Map<string, Uint8Array | undefined>;

/** A database in memory, optionally layered over another one that it never changes. For tests and temporary chains. */
export class MemoryDatabase implements Database {
  private readonly tables = new Map<Table, Values>();

  constructor(private readonly base?: MemoryDatabase) {}

  get(table: Table, key: Uint8Array): Uint8Array | undefined {
    return this.lookup(table, mapKey(key));
  }

  async write(batch: readonly Write[]): Promise<void> {
    for (const { table, key, value } of batch) this.values(table).set(mapKey(key), value);
  }

  async *entries(table: Table, prefix = EMPTY_BYTES): AsyncGenerator<{ key: Uint8Array; value: Uint8Array }> {
    const beginning = mapKey(prefix);
    for (const key of [...this.keys(table)].filter((one) => one.startsWith(beginning)).sort()) {
      const value = this.lookup(table, key);
      if (value !== undefined) yield { key: fromMapKey(key), value };
    }
  }

  async close(): Promise<void> {}

  private values(table: Table): Values {
    let values = this.tables.get(table);
    if (values === undefined) this.tables.set(table, (values = new Map()));
    return values;
  }

  private lookup(table: Table, key: string): Uint8Array | undefined {
    const values = this.tables.get(table);
    return values?.has(key) ? values.get(key) : this.base?.lookup(table, key);
  }

  private keys(table: Table): Set<string> {
    const keys = this.base?.keys(table) ?? new Set<string>();
    for (const key of this.values(table).keys()) keys.add(key);
    return keys;
  }
}
