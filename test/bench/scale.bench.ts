import { basename, join } from "node:path";
import { type StateLayout, TABLES } from "@cambium/chain-store";
import { compactTables } from "@cambium/database";
import { withFolder } from "@cambium/test-utils/node-cli";
import { FIRST } from "./scale/changes.js";
import { copyDatabase, sizes, sum } from "./scale/database-files.js";
import { dropFromCache, memoryLimit } from "./scale/disk-bound.js";
import type { DiskIo } from "./scale/disk-io.js";
import { createLargeState } from "./scale/large-state.js";
import { inProcess, killWhenImported } from "./scale/parts.js";
import { mineRandomBlocks } from "./scale/random-blocks.js";
import { READ_METHODS, type ReadFigures, type ReadMethod } from "./scale/reads.js";

type Print = (name: string, value: number, unit: string) => void;

/** Numbers of accounts and cells of the states, separated by commas. */
const SIZES = (process.env.SCALE ?? "1e4,1e6").split(",").map(Number);
const LAYOUTS = (process.env.LAYOUTS ?? "archive,flat").split(",") as StateLayout[];
/**
 * Memory limit in megabytes. If set, blocks are also imported and states read within it, where the system can limit
 * memory.
 */
const MEMORY = Number(process.env.MEMORY ?? 0);
/** Number of blocks on top of a large state, in which states are read; 0: none are read. */
const HISTORY = Number(process.env.HISTORY ?? 1_001);
/** Numbers of blocks below the best block at which states are read, where the history is longer. */
const DEPTHS = [0, 100, 10_000, 90_000];
/** Random blocks to import. */
const LOADS = [
  { transactions: 3, blocks: 3_000 },
  { transactions: 50, blocks: 600 },
];
type Load = (typeof LOADS)[number];

/** Imports blocks of random accesses to states of different sizes, and reads states, each in a separate process. */
export async function run(print: Print): Promise<void> {
  for (const [entries, layout] of SIZES.flatMap((size) => LAYOUTS.map((layout) => [size, layout] as const))) {
    await withFolder(async (folder) => {
      const state = join(folder, "state");
      await createLargeState(state, entries, layout);
      const name = `${layout}, ${entries} entries`;
      print(`${name}: state`, sum(await sizes(state)) / 2 ** 20, "MB");
      // The tables of a new state must be compacted first: its own files would otherwise be part of the figures.
      await compactTables(state, Object.values(TABLES));
      const bench = new ScaleBench(print, folder, state, entries);
      for (const load of LOADS) await bench.imports(`${name}, ${load.transactions} transactions a block`, load);
      if (HISTORY > 0) bench.reads(name);
    });
  }
}

class ScaleBench {
  /** Number of copies of the database for imports from a cold page cache. */
  private copies = 0;

  constructor(
    private readonly print: Print,
    private readonly folder: string,
    /** The database, which is not changed. */
    private readonly state: string,
    private readonly entries: number,
  ) {}

  async imports(name: string, { transactions, blocks }: Load): Promise<void> {
    const { print, state, entries } = this;
    const file = join(this.folder, `${transactions}.jsonl`);
    await mineRandomBlocks(state, file, { entries, blocks, transactions });
    const copy = this.copyAs(`${transactions}`);
    const { seconds, cpuSeconds, peakMegabytes, io } = inProcess("import", [copy, file, "warm"]);
    print(`${name}: import`, blocks / seconds, "blocks/s");
    print(`${name}: processor time`, (cpuSeconds * 1000) / blocks, "ms/block");
    print(`${name}: peak memory`, peakMegabytes, "MB");
    await this.printAdded(`${name}: on disk`, copy, blocks);
    this.printWritten(name, io, blocks);
    if (MEMORY > 0) this.diskBoundImports(name, file, blocks);
    this.opening(name, file, blocks);
  }

  /**
   * Prints the additions of blocks, also for each table. The first figure includes replaced values that LevelDB has not
   * dropped yet; the second does not.
   */
  private async printAdded(name: string, location: string, blocks: number): Promise<void> {
    const before = await sizes(this.state);
    this.print(name, (sum(await sizes(location)) - sum(before)) / blocks, "bytes/block");
    await compactTables(location, Object.values(TABLES));
    const after = await sizes(location);
    this.print(`${name}, compacted`, (sum(after) - sum(before)) / blocks, "bytes/block");
    for (const [table, bytes] of after) {
      const added = bytes - before.get(table)!;
      if (added !== 0) this.print(`${name}, compacted: ${table}`, added / blocks, "bytes/block");
    }
  }

  private diskBoundImports(name: string, file: string, blocks: number): void {
    this.diskBound(name, (limited, limiting) => this.coldImport(limited, file, blocks, limiting));
  }

  private coldImport(name: string, file: string, blocks: number, limiting: readonly string[]): void {
    const copy = this.copyAs(`cold-${this.copies++}-${basename(file)}`);
    if (isInCache(name, copy)) return;
    const { seconds, cpuSeconds, peakMegabytes, io } = inProcess("import", [copy, file, "cold"], limiting);
    this.print(`${name}: import`, blocks / seconds, "blocks/s");
    this.print(`${name}: processor time`, (cpuSeconds * 1000) / blocks, "ms/block");
    this.print(`${name}: peak memory`, peakMegabytes, "MB");
    if (io !== undefined) this.print(`${name}: read from disk`, io.read / blocks, "bytes/block");
  }

  private opening(name: string, file: string, blocks: number): void {
    const killed = this.copyAs(`killed-${basename(file)}`);
    killWhenImported(killed, file, blocks + 1);
    const { milliseconds, cpuMilliseconds } = inProcess("open", [killed]);
    this.print(`${name}: opening after a kill`, milliseconds, "ms");
    this.print(`${name}: of it, processor time`, cpuMilliseconds, "ms");
  }

  reads(name: string): void {
    const history = this.copyAs("history");
    const head = FIRST - 1 + HISTORY;
    const { seconds, io } = inProcess("history", [history, this.entries, head]);
    const long = `${name}, ${HISTORY} blocks of history`;
    this.print(`${long}: written`, HISTORY / seconds, "blocks/s");
    this.printWritten(long, io, HISTORY);
    for (const method of Object.keys(READ_METHODS) as ReadMethod[]) {
      for (const depth of DEPTHS.filter((blocks) => blocks < HISTORY)) {
        this.diskBound(`${name}: ${method} ${depth} blocks back`, (limited, limiting) => {
          if (isInCache(limited, history)) return;
          const { cold, hot } = inProcess("reads", [history, this.entries, head, method, depth], limiting);
          this.printReads(limited, cold);
          this.printReads(`${limited}, again (hot)`, hot);
        });
      }
    }
  }

  private printReads(name: string, { mean, median, p99, cpu, readBytes }: ReadFigures): void {
    this.print(name, mean, "µs");
    this.print(`${name}, median`, median, "µs");
    this.print(`${name}, p99`, p99, "µs");
    this.print(`${name}, processor time`, cpu, "µs");
    if (readBytes !== undefined) this.print(`${name}, read from disk`, readBytes, "bytes");
  }

  /** Calls `measure` for a cold page cache and, where possible, for one within a limit of memory. */
  private diskBound(name: string, measure: (name: string, limiting: readonly string[]) => void): void {
    measure(`${name}: cold cache`, []);
    if (MEMORY === 0) return;
    const limit = memoryLimit(MEMORY);
    if ("reason" in limit) {
      console.log(`${name}: within ${MEMORY} MB skipped: ${limit.reason}`);
      return;
    }
    try {
      measure(`${name}: cold cache and ${MEMORY} MB`, limit.command);
    } finally {
      limit.remove();
    }
  }

  private printWritten(name: string, io: DiskIo | undefined, blocks: number): void {
    if (io === undefined) return;
    this.print(`${name}: written to disk`, io.written / blocks, "bytes/block");
    this.print(`${name}: written to disk, for each byte of the batches`, io.written / io.batches, "bytes");
  }

  private copyAs(name: string): string {
    const copy = join(this.folder, name);
    copyDatabase(this.state, copy);
    return copy;
  }
}

/** Drops a database from the page cache. If that is impossible, logs why the measurement is skipped. */
function isInCache(skipped: string, location: string): boolean {
  const reason = dropFromCache(location);
  if (reason !== undefined) console.log(`${skipped} skipped: ${reason}`);
  return reason !== undefined;
}
