import { setTimeout as delay } from "node:timers/promises";
import type { BlockRows } from "../rows.js";
import {
  BLOCK_TABLES,
  type BlockTable,
  type Column,
  type ColumnType,
  POOL_TABLE,
  type Row,
  TABLES,
} from "../schema.js";
import { type Content, type Position, requireContent, requirePosition, type Sink } from "../sink.js";
import { ClickHouseClient } from "./clickhouse-client.js";

const TYPES: Readonly<Record<ColumnType, string>> = {
  uint64: "UInt64",
  uint256: "UInt256",
  hash: "String",
  address: "String",
  bytes: "String",
  text: "String",
  json: "String",
  boolean: "Bool",
  timestamp: "DateTime('UTC')",
  sign: "Int8",
};
/** Table of positions: the row with the highest sequence number is valid. */
const POSITIONS = "feed_positions";
/** Number of the block before the first one. */
const NONE = -1;
/** Number of checks for running queries of an earlier feed, and the milliseconds between two of them. */
const LOOKS = 120;
const LOOK_INTERVAL = 500;

/**
 * Tables of the engine CollapsingMergeTree. The position is a row, inserted after the rows of its blocks and before
 * blocks above it are retracted. An interruption therefore leaves rows only above the position, and the next start
 * retracts them.
 */
export class ClickHouseSink implements Sink {
  readonly limits = { blocks: 500, bytes: 16 * 1024 * 1024, isEager: true };
  private readonly client: ClickHouseClient;
  private content!: Content;
  private position: Position | undefined;
  private sequence = 0;

  /** See {@link ClickHouseClient}. */
  constructor(target: string, end?: AbortSignal) {
    this.client = new ClickHouseClient(target, end);
  }

  async open(content: Content): Promise<Position | undefined> {
    this.content = content;
    await this.createTables();
    await this.awaitOthers();
    const [stored] = await this.client.select(`SELECT * FROM ${this.name(POSITIONS)} ORDER BY sequence DESC LIMIT 1`);
    if (stored === undefined) {
      this.sequence = 0;
      await this.store(undefined);
      return undefined;
    }
    const target = `the database ${this.client.database}`;
    requireContent(target, contentOf(stored), this.expected);
    this.sequence = Number(stored.sequence);
    this.position =
      stored.block_number === NONE ? undefined : requirePosition(target, stored.block_number, stored.block_hash);
    await this.retractRows(this.position?.number ?? NONE);
    return this.position;
  }

  async hashAt(number: number): Promise<string | undefined> {
    if (this.position === undefined || number > this.position.number) return undefined;
    if (number === this.position.number) return this.position.hash;
    const [row] = await this.client.select(
      `SELECT block_hash FROM ${this.name("blocks")} FINAL WHERE block_number = ${number}`,
    );
    return row?.block_hash as string | undefined;
  }

  async write(blocks: readonly BlockRows[]): Promise<void> {
    for (const table of this.tables) {
      const rows = blocks.flatMap((block) => block.rows[table] ?? []);
      await this.client.insert(
        table,
        rows.map((row) => JSON.stringify(row)),
      );
    }
    const { number, hash } = blocks.at(-1)!;
    await this.store({ number, hash });
  }

  async retract(above: number | undefined): Promise<void> {
    const hash = above === undefined ? undefined : await this.hashAt(above);
    await this.store(hash === undefined ? undefined : { number: above!, hash });
    await this.retractRows(above ?? NONE);
  }

  async writePool(rows: readonly Row[]): Promise<void> {
    await this.client.insert(
      POOL_TABLE,
      rows.map((row) => JSON.stringify(row)),
    );
  }

  async close(): Promise<void> {}

  private get tables(): readonly BlockTable[] {
    return BLOCK_TABLES.filter((table) => this.content.tables.includes(table));
  }

  /** Chain and tables in the form of {@link POSITIONS}. */
  private get expected() {
    return { ...this.content, tables: this.tables.join(",") };
  }

  private name(table: string): string {
    return `${this.client.database}.${table}`;
  }

  private async createTables(): Promise<void> {
    const { client } = this;
    const known = await client.select(`SELECT name FROM system.tables WHERE database = '${client.database}'`);
    const names = new Set(known.map(({ name }) => name));
    const missing = ([...this.tables, POOL_TABLE, POSITIONS] as const).filter((table) => !names.has(table));
    if (missing.length === 0) return;
    if (names.size === 0) await client.execute(`CREATE DATABASE IF NOT EXISTS ${client.database}`);
    for (const table of missing)
      await client.execute(`CREATE TABLE IF NOT EXISTS ${this.name(table)} ${layoutOf(table)}`);
  }

  /** Waits for queries of a killed feed, which could still add rows. */
  private async awaitOthers(): Promise<void> {
    for (let look = 0; (await this.client.running()) > 0; look++) {
      if (look === LOOKS) throw new Error("queries of another feed to the same database are still running");
      await delay(LOOK_INTERVAL);
    }
  }

  private async store(position: Position | undefined): Promise<void> {
    const { chainId, genesis, tables } = this.expected;
    const row = {
      sequence: ++this.sequence,
      block_number: position?.number ?? NONE,
      block_hash: position?.hash ?? "",
      chain_id: chainId,
      genesis,
      tables,
    };
    await this.client.insert(POSITIONS, [JSON.stringify(row)]);
    this.position = position;
  }

  /** Adds the opposite of every row above a block that is not retracted yet. */
  private async retractRows(above: number): Promise<void> {
    for (const table of this.tables) {
      const name = this.name(table);
      const where = `toInt64(block_number) > ${above}`;
      if ((await this.client.count(`SELECT count() AS rows FROM ${name} FINAL WHERE ${where}`, "rows")) === 0) continue;
      await this.client.execute(
        `INSERT INTO ${name} SELECT * REPLACE (toInt8(-1) AS sign) FROM ${name} FINAL WHERE ${where}`,
      );
    }
  }
}

function contentOf(stored: Record<string, unknown>) {
  return { chainId: stored.chain_id, genesis: stored.genesis, tables: stored.tables };
}

/** Columns and engine of a table, as `CREATE TABLE` has them. */
function layoutOf(table: BlockTable | typeof POOL_TABLE | typeof POSITIONS): string {
  if (table === POSITIONS) {
    const columns =
      "sequence UInt64, block_number Int64, block_hash String, chain_id UInt64, genesis String, tables String";
    return `(${columns}, written_at DateTime('UTC') DEFAULT now()) ENGINE = ReplacingMergeTree(sequence) ORDER BY chain_id`;
  }
  const { columns, key } = TABLES[table];
  const engine = table === POOL_TABLE ? "MergeTree" : "CollapsingMergeTree(sign)";
  return `(${columns.map(columnOf).join(", ")}) ENGINE = ${engine} ORDER BY (${key.join(", ")})`;
}

function columnOf({ name, type, isNullable }: Column): string {
  return `${name} ${isNullable ? `Nullable(${TYPES[type]})` : TYPES[type]}`;
}
