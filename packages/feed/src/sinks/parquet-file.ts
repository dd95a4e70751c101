import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { SchemaElement } from "hyparquet";
import { ByteWriter, parquetWrite } from "hyparquet-writer";
import type { Column, ColumnType, Row, Table, Value } from "../schema.js";

/**
 * Columns of Parquet files. Numbers of 256 bits are decimal text, because Parquet has no such type: DuckDB casts them
 * with `::HUGEINT`.
 */
const TYPES: Readonly<Record<ColumnType, Omit<SchemaElement, "name">>> = {
  uint64: { type: "INT64" },
  uint256: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  hash: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  address: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  bytes: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  json: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  boolean: { type: "BOOLEAN" },
  timestamp: { type: "INT64", logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" } },
  sign: { type: "INT32", converted_type: "INT_8" },
};
/** Number of rows in a row group, which readers can skip. */
const ROW_GROUP = 100_000;

/** Encodes rows of a table as a Parquet file, with strings about the whole file. */
export function parquetBytes(table: Table, rows: readonly Row[], about: Readonly<Record<string, string>>): Uint8Array {
  const writer = new ByteWriter();
  parquetWrite({
    writer,
    schema: [{ name: "root", num_children: table.columns.length }, ...table.columns.map(element)],
    columnData: table.columns.map(({ name, type }) => ({ name, data: rows.map((row) => stored(type, row[name]!)) })),
    kvMetadata: Object.entries(about).map(([key, value]) => ({ key, value })),
    rowGroupSize: ROW_GROUP,
    createdBy: "cambium",
  });
  return writer.getBytes();
}

function element({ name, type, isNullable }: Column): SchemaElement {
  return { name, ...TYPES[type], repetition_type: isNullable ? "OPTIONAL" : "REQUIRED" };
}

function stored(type: ColumnType, value: Value): unknown {
  if (value === null) return null;
  if (type === "uint64") return BigInt(value);
  return type === "timestamp" ? BigInt(value) * 1000n : value;
}

/** Writes a file atomically, also if the power fails. */
export async function writeDurably(path: string, bytes: Uint8Array | string): Promise<void> {
  const temporary = `${path}.part`;
  const file = await open(temporary, "w");
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
