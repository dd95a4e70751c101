import { spawnSync } from "node:child_process";
import { cpSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Database, type LevelDatabaseOptions, openLevelDatabase, type Write } from "@cambium/database";
import { withFolder } from "@cambium/test-utils/node-cli";
import { BlockWorkload, HOT_TABLES, TABLES, type WorkloadOptions } from "./engine/block-workload.js";
import { SplitDatabase } from "./engine/split-database.js";

type Print = (name: string, value: number, unit: string) => void;

interface Variant extends WorkloadOptions {
  name: string;
  blocks: number;
  /** Whether tables that only grow are in a separate database. */
  split: boolean;
  level: LevelDatabaseOptions;
  /** Settings of the second database, where they differ. */
  bulk: LevelDatabaseOptions;
  /** A module that exports `open(location, options): Promise<Database>`, to measure an engine other than LevelDB. */
  engine?: string;
}

const DEFAULTS: Variant = {
  name: "present settings",
  entries: 100_000,
  priorBlocks: 4_000,
  blocks: 10_000,
  blockKeys: "hash",
  nodeInterval: 800,
  levelsLeftOut: 0,
  otherReads: 3,
  split: false,
  level: {},
  bulk: {},
};

/**
 * Variants, as a JSON list of members that differ from the defaults. The initial database is built again if a variant
 * needs another one than its predecessor:
 * `ENGINE='[{"entries": 1e6, "blocks": 20000}, {"entries": 1e6, "blocks": 20000, "level": {"writeBufferSize": 67108864}}]'`.
 */
const VARIANTS = (JSON.parse(process.env.ENGINE ?? "[{}]") as Partial<Variant>[]).map((own) => ({
  ...DEFAULTS,
  ...own,
}));

const MAX_PENDING = 32;
const READ_KEYS = 5_000;

interface Figures {
  seconds: number;
  cpuSeconds: number;
  /** Number of bytes in keys and values. */
  logicalBytes: number;
  /** Number of bytes on disk; undefined where the system does not show it. */
  physicalBytes: number | undefined;
  /** Processor time in seconds of the workload itself, without a database. */
  ownCpuSeconds: number;
  peakMegabytes: number;
}

interface ReadFigures {
  coldMicroseconds: number;
  /** Processor time in microseconds. */
  hotMicroseconds: number;
}

/**
 * Measures the reads and writes of importing blocks, without execution, on databases of several settings
 * (docs/decisions/0014).
 */
export async function run(print: Print): Promise<void> {
  await withFolder(async (folder) => {
    const initial = join(folder, "initial");
    let built = "";
    for (const variant of VARIANTS) {
      const wanted = initialState(variant);
      if (built !== wanted) {
        rmSync(initial, { recursive: true, force: true });
        inProcess("build", initial, variant);
        built = wanted;
      }
      const location = join(folder, "measured");
      copyFolder(initial, location);
      report(variant, location, print);
      rmSync(location, { recursive: true });
    }
  });
}

function report(variant: Variant, location: string, print: Print): void {
  const { name, blocks } = variant;
  const before = folderBytes(location);
  const { seconds, cpuSeconds, ownCpuSeconds, ...written } = inProcess<Figures>("measure", location, variant);
  print(`${name}: time`, (seconds * 1e6) / blocks, "µs/block");
  print(`${name}: processor time`, ((cpuSeconds - ownCpuSeconds) * 1e6) / blocks, "µs/block");
  print(`${name}: peak memory`, written.peakMegabytes, "MB");
  print(`${name}: bytes of entries`, written.logicalBytes / blocks, "bytes/block");
  if (written.physicalBytes !== undefined) {
    print(`${name}: bytes written`, written.physicalBytes / blocks, "bytes/block");
    print(`${name}: write amplification`, written.physicalBytes / written.logicalBytes, "");
  }
  print(`${name}: on disk`, folderBytes(location) / 2 ** 20, "MB");
  print(`${name}: added on disk`, (folderBytes(location) - before) / blocks, "bytes/block");
  forgetCachedFiles(location);
  const reads = inProcess<ReadFigures>("read", location, variant);
  print(`${name}: cold read`, reads.coldMicroseconds, "µs");
  print(`${name}: hot read, processor time`, reads.hotMicroseconds, "µs");
}

/** Returns a key of the settings that determine the initial database. */
function initialState({ name, blocks, nodeInterval, otherReads, level, bulk, ...rest }: Variant): string {
  const files = ({ cacheSize, writeBufferSize, ...own }: LevelDatabaseOptions) => own;
  return JSON.stringify({ ...rest, level: files(level), bulk: files(bulk) });
}

/** Copies a folder. Table files of LevelDB never change, so copies share them. */
function copyFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyFolder(source, target);
    else if (entry.name.endsWith(".ldb") || entry.name.endsWith(".sst")) linkSync(source, target);
    else cpSync(source, target);
  }
}

function folderBytes(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).blocks * 512;
  }
  return bytes;
}

/** Removes files from the system's cache, if possible: has no effect unless `dd` is that of GNU. */
function forgetCachedFiles(folder: string): void {
  spawnSync("sync");
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) spawnSync("dd", [`if=${join(entry.parentPath, entry.name)}`, "iflag=nocache", "count=0"]);
  }
}

/** Runs a step in a separate process, whose processor time and written bytes are those of the step. */
function inProcess<T>(step: "build" | "measure" | "read", location: string, variant: Variant): T {
  const script = fileURLToPath(import.meta.url);
  const args = ["--import=tsx", script, step, location, JSON.stringify(variant)];
  const child = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout) as T;
}

async function open(location: string, variant: Variant, create = false): Promise<Database> {
  const one = async (name: string, options: LevelDatabaseOptions): Promise<Database> => {
    const path = join(location, name);
    if (variant.engine === undefined) return openLevelDatabase(path, { ...options, create });
    return (await import(variant.engine)).open(path, options) as Promise<Database>;
  };
  const hot = await one("hot", variant.level);
  if (!variant.split) return hot;
  return new SplitDatabase(hot, await one("bulk", { ...variant.level, ...variant.bulk }), HOT_TABLES);
}

const BUILD_BATCH = 5_000;

async function build(location: string, variant: Variant): Promise<unknown> {
  mkdirSync(location);
  const database = await open(location, variant, true);
  let batch: Write[] = [];
  let previous: Promise<void> | undefined;
  for (const write of new BlockWorkload(variant).initial()) {
    if (batch.push(write) < BUILD_BATCH) continue;
    await previous;
    previous = database.write(batch);
    batch = [];
  }
  await database.write(batch);
  await idle();
  await database.close();
  return {};
}

async function measure(location: string, variant: Variant): Promise<Figures> {
  const { ownCpuSeconds, logicalBytes } = ownCost(variant);
  const database = await open(location, variant);
  const [start, cpu, written] = [performance.now(), processorTime(), writtenBytes()];
  const workload = new BlockWorkload(variant);
  const pending: Promise<void>[] = [];
  for (let block = 0; block < variant.blocks; block++) {
    const { reads, writes } = workload.nextBlock();
    for (const key of reads) database.get(TABLES.flat, key);
    if (pending.push(database.write(writes)) >= MAX_PENDING) await pending.shift();
  }
  await Promise.all(pending);
  const seconds = (performance.now() - start) / 1000;
  await idle();
  await database.close();
  return {
    seconds,
    cpuSeconds: (processorTime() - cpu) / 1e6,
    ownCpuSeconds,
    logicalBytes,
    physicalBytes: written === undefined ? undefined : writtenBytes()! - written,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
  };
}

function ownCost(variant: Variant): { ownCpuSeconds: number; logicalBytes: number } {
  const workload = new BlockWorkload(variant);
  const cpu = processorTime();
  let logicalBytes = 0;
  for (let block = 0; block < variant.blocks; block++) {
    for (const { key, value } of workload.nextBlock().writes) logicalBytes += 1 + key.length + value!.length;
  }
  return { ownCpuSeconds: (processorTime() - cpu) / 1e6, logicalBytes };
}

/** Resolves when background compactions have ended. */
async function idle(): Promise<void> {
  for (let before = -1; before !== writtenBytes(); ) {
    before = writtenBytes() ?? -1;
    await delay(1_000);
    if (writtenBytes() === undefined) return;
  }
}

async function read(location: string, variant: Variant): Promise<ReadFigures> {
  const database = await open(location, variant);
  const keys = new BlockWorkload(variant).randomKeys(READ_KEYS);
  const microseconds = (clock: () => number) => {
    const start = clock();
    for (const key of keys) if (database.get(TABLES.flat, key) === undefined) throw new Error("an entry is missing");
    return (clock() - start) / keys.length;
  };
  const coldMicroseconds = microseconds(() => performance.now() * 1000);
  microseconds(processorTime);
  const hotMicroseconds = microseconds(processorTime);
  await database.close();
  return { coldMicroseconds, hotMicroseconds };
}

/** Returns the processor time of all threads in microseconds. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Returns the number of bytes that this process has caused to be written to the disk. */
function writtenBytes(): number | undefined {
  try {
    return Number(/^write_bytes: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))![1]);
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [step, location, variant] = [process.argv[2]!, process.argv[3]!, JSON.parse(process.argv[4]!) as Variant];
  const figures = await { build, measure, read }[step]!(location, variant);
  console.log(JSON.stringify(figures));
  process.exit(0);
}
