import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { FeedError } from "../errors.js";
import type { BlockRows } from "../rows.js";
import { BLOCK_TABLES, type BlockTable, POOL_TABLE, type Row, TABLES } from "../schema.js";
import {
  type Content,
  type Position,
  requireContent,
  requirePosition,
  type Sink,
  type StoredContent,
} from "../sink.js";
import { parquetBytes, writeDurably } from "./parquet-file.js";

/** Maximum size of the waiting rows for one set of files, in bytes. */
const MAX_BYTES = 32 * 1024 * 1024;
/** File next to the tables' folders that names the chain and the tables. */
const CONTENT = "feed.json";
/** `<sequence>-<first block>-<last block>.parquet`, with `-retracted` for rows of sign -1. */
const FILE = /^(\d{8})-(\d{10})-(\d{10})(-retracted)?\.parquet$/;
/** Key in the file's metadata of the position after the file, as JSON. */
const POSITION = "cambium.position";

/** Files of all tables with the same sequence number hold the same blocks; that of `blocks` is written last. */
interface FileName {
  name: string;
  sequence: number;
  first: number;
  last: number;
}

/**
 * A folder for each table, with a file for each range of blocks. The file of `blocks` appears last, so the newest one
 * is the position. Retracted rows are repeated in separate files, with sign -1.
 */
export class ParquetSink implements Sink {
  readonly limits;
  private content: Content | undefined;
  private position: Position | undefined;
  /** Files of `blocks`, by sequence number. */
  private files: FileName[] = [];
  /** Hashes of blocks by number, from the file that was read last. */
  private read: { name: string; hashes: Map<number, string> } | undefined;

  constructor(
    private readonly folder: string,
    blocksPerFile: number,
  ) {
    this.limits = { blocks: blocksPerFile, bytes: MAX_BYTES, isEager: false };
  }

  async open(content: Content): Promise<Position | undefined> {
    this.content = content;
    for (const table of content.tables) await mkdir(join(this.folder, table), { recursive: true });
    await this.checkContent(content);
    this.files = await this.list("blocks");
    this.read = undefined;
    const complete = this.files.at(-1)?.sequence ?? -1;
    for (const table of content.tables) await this.removeAfter(table, complete);
    const newest = this.files.at(-1);
    this.position = newest && (await this.positionIn(newest));
    return this.position;
  }

  async hashAt(number: number): Promise<string | undefined> {
    const { position } = this;
    if (position === undefined || number > position.number) return undefined;
    if (number === position.number) return position.hash;
    const file = this.fileOf(number);
    return file && (await this.hashesOf(file)).get(number);
  }

  async write(blocks: readonly BlockRows[]): Promise<void> {
    const [first, last] = [blocks[0]!.number, blocks.at(-1)!.number];
    const rows = (table: BlockTable) => blocks.flatMap((block) => block.rows[table] ?? []);
    await this.add({ first, last, suffix: "" }, rows, { number: last, hash: blocks.at(-1)!.hash });
  }

  /** Retracts the files one by one, the newest first. */
  async retract(above: number | undefined): Promise<void> {
    while (this.position !== undefined && this.position.number > (above ?? -1)) {
      const last = this.position.number;
      const file = this.fileOf(last);
      if (file === undefined) throw this.damaged(`the file with block ${last} is missing`);
      const first = Math.max(file.first, above === undefined ? 0 : above + 1);
      const rows = new Map<BlockTable, Row[]>();
      for (const table of this.content!.tables) {
        const found = await this.rowsIn(table, file.name);
        const isRetracted = ({ block_number: number }: Row) => Number(number) >= first && Number(number) <= last;
        rows.set(
          table,
          found.filter(isRetracted).map((row) => ({ ...row, sign: -1 })),
        );
      }
      const hash = await this.hashAt(first - 1);
      const position = hash === undefined ? undefined : { number: first - 1, hash };
      await this.add({ first, last, suffix: "-retracted" }, (table) => rows.get(table)!, position);
    }
  }

  async writePool(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    const folder = join(this.folder, POOL_TABLE);
    await mkdir(folder, { recursive: true });
    const name = `${new Date().toISOString().replaceAll(/[:.]/g, "-")}-${process.pid}.parquet`;
    await writeDurably(join(folder, name), parquetBytes(TABLES[POOL_TABLE], rows, {}));
  }

  async close(): Promise<void> {}

  private async add(
    { first, last, suffix }: { first: number; last: number; suffix: string },
    rows: (table: BlockTable) => readonly Row[],
    position: Position | undefined,
  ): Promise<void> {
    const sequence = (this.files.at(-1)?.sequence ?? -1) + 1;
    const name = `${digits(sequence, 8)}-${digits(first, 10)}-${digits(last, 10)}${suffix}.parquet`;
    const about = { [POSITION]: JSON.stringify(position ?? null) };
    for (const table of BLOCK_TABLES.filter((one) => this.content!.tables.includes(one))) {
      await writeDurably(join(this.folder, table, name), parquetBytes(TABLES[table], rows(table), about));
    }
    this.files.push({ name, sequence, first, last });
    this.position = position;
  }

  /** Finds the file with a block up to the position: the newest one, because a retracted range is written again. */
  private fileOf(number: number): FileName | undefined {
    return this.files.findLast(({ name, first, last }) => !isRetraction(name) && first <= number && number <= last);
  }

  private async rowsIn(table: BlockTable, name: string): Promise<Row[]> {
    const rows = await rowsOf(join(this.folder, table, name));
    const times = TABLES[table].columns.filter(({ type }) => type === "timestamp");
    return rows.map((row) => {
      const seconds = times.map(({ name }) => [name, (row[name] as Date).getTime() / 1000]);
      return { ...row, ...Object.fromEntries(seconds) } as Row;
    });
  }

  private async hashesOf({ name }: FileName): Promise<Map<number, string>> {
    if (this.read?.name !== name) {
      const rows = await rowsOf(join(this.folder, "blocks", name), ["block_number", "block_hash"]);
      this.read = { name, hashes: new Map(rows.map((row) => [Number(row.block_number), row.block_hash as string])) };
    }
    return this.read.hashes;
  }

  private async positionIn({ name }: FileName): Promise<Position | undefined> {
    const path = join(this.folder, "blocks", name);
    try {
      const metadata = await parquetMetadataAsync(await asyncBufferFromFile(path));
      const position = metadata.key_value_metadata?.find(({ key }) => key === POSITION)?.value;
      const stored = JSON.parse(position!);
      return stored === null ? undefined : requirePosition(path, stored.number, stored.hash);
    } catch (error) {
      throw error instanceof FeedError ? error : unreadable(path, error as Error);
    }
  }

  private damaged(reason: string): FeedError {
    return new FeedError({ code: "SINK", target: this.folder, reason });
  }

  private async list(table: BlockTable): Promise<FileName[]> {
    const names = (await readdir(join(this.folder, table))).toSorted();
    return names.flatMap((name) => {
      const match = FILE.exec(name);
      if (match === null) return [];
      const [sequence, first, last] = match.slice(1).map(Number) as [number, number, number];
      return [{ name, sequence, first, last }];
    });
  }

  /** Removes unfinished files, and finished files without a file of `blocks`. */
  private async removeAfter(table: BlockTable, sequence: number): Promise<void> {
    const folder = join(this.folder, table);
    const unfinished = (await readdir(folder)).filter((name) => name.endsWith(".parquet.part"));
    const extra = (await this.list(table)).filter((file) => file.sequence > sequence).map(({ name }) => name);
    for (const name of [...unfinished, ...extra]) await rm(join(folder, name), { force: true });
  }

  private async checkContent({ chainId, genesis, tables }: Content): Promise<void> {
    const path = join(this.folder, CONTENT);
    const expected = { chainId, genesis, tables: BLOCK_TABLES.filter((table) => tables.includes(table)).join(",") };
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text === undefined) return writeDurably(path, `${JSON.stringify(expected)}\n`);
    requireContent(this.folder, parsed(path, text), expected);
  }
}

/** Reads the rows of a file. Rejects with {@link FeedError} `SINK` if it is damaged. */
async function rowsOf(path: string, columns?: string[]): Promise<Record<string, unknown>[]> {
  try {
    const file = await asyncBufferFromFile(path);
    return await parquetReadObjects({ file, ...(columns && { columns }) });
  } catch (error) {
    throw unreadable(path, error as Error);
  }
}

function unreadable(path: string, { message }: Error): FeedError {
  return new FeedError({ code: "SINK", target: path, reason: `it cannot be read: ${message}` });
}

function parsed(path: string, text: string): StoredContent {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    throw new FeedError({ code: "SINK", target: path, reason: "it is not JSON" });
  }
}

function isRetraction(name: string): boolean {
  return name.endsWith("-retracted.parquet");
}

function digits(number: number, count: number): string {
  return String(number).padStart(count, "0");
}
