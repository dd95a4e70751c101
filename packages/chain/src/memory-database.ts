import { type Database, fromMapKey, type KeyRange, mapKey, type Write } from "./database.js";

/** A database in memory, optionally over another one that it never changes. For tests, vectors and throw-away chains. */
export class MemoryDatabase implements Database {
  private readonly values = new Map<string, Uint8Array | undefined>();

  constructor(private readonly base?: MemoryDatabase) {}

  get(key: Uint8Array): Uint8Array | undefined {
    return this.lookup(mapKey(key));
  }

  async write(batch: readonly Write[]): Promise<void> {
    for (const { key, value } of batch) this.values.set(mapKey(key), value === undefined ? undefined : value.slice());
  }

  async *entries({ from, to }: KeyRange): AsyncGenerator<{ key: Uint8Array; value: Uint8Array }> {
    const first = mapKey(from);
    const end = mapKey(to);
    const keys = [...this.keys()].filter((key) => key >= first && key < end).sort();
    for (const key of keys) {
      const value = this.lookup(key);
      if (value !== undefined) yield { key: fromMapKey(key), value };
    }
  }

  async close(): Promise<void> {}

  private lookup(key: string): Uint8Array | undefined {
    return this.values.has(key) ? this.values.get(key) : this.base?.lookup(key);
  }

  private keys(): Set<string> {
    const keys = this.base?.keys() ?? new Set<string>();
    for (const key of this.values.keys()) keys.add(key);
    return keys;
  }
}
