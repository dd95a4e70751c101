import { onchainTable } from "ponder";

export const addition = onchainTable("addition", (column) => ({
  id: column.text().primaryKey(),
  block: column.hex().notNull(),
  total: column.bigint().notNull(),
}));
