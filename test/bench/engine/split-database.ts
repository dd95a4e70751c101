import type { Database, Table, Write } from "@cambium/database";

/** Two databases as one; a batch is atomic only within each of them. */
export class SplitDatabase implements Database {
  constructor(
    private readonly hot: Database,
    private readonly bulk: Database,
    private readonly hotTables: readonly Table[],
  ) {}

  get(table: Table, key: Uint8Array): Uint8Array | undefined {
    return this.of(table).get(table, key);
  }

  async write(batch: readonly Write[]): Promise<void> {
    const isHot = ({ table }: Write) => this.hotTables.includes(table);
    const [hot, bulk] = [batch.filter(isHot), batch.filter((write) => !isHot(write))];
    await Promise.all([
      bulk.length > 0 ? this.bulk.write(bulk) : undefined,
      hot.length > 0 ? this.hot.write(hot) : undefined,
    ]);
  }

  entries(table: Table): AsyncIterable<{ key: Uint8Array; value: Uint8Array }> {
    return this.of(table).entries(table);
  }

  async close(): Promise<void> {
    await Promise.all([this.hot.close(), this.bulk.close()]);
  }

  private of(table: Table): Database {
    return this.hotTables.includes(table) ? this.hot : this.bulk;
  }
}
