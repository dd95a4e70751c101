import { spawnSync } from "node:child_process";
import { cpSync, linkSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { importFiles, openChain, openThreadedChain, type StateLayout, TABLES } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { openLevelDatabase, tableSizes } from "@cambium/database";
import { withFolder } from "@cambium/test-utils/node-cli";
import { dropFromCache, memoryLimit } from "./scale/disk-bound.js";
import { createLargeState } from "./scale/large-state.js";
import { mineRandomBlocks } from "./scale/random-blocks.js";

type Print = (name: string, value: number, unit: string) => void;

/** Accounts and cells of the states, separated by commas. */
const SIZES = (process.env.SCALE ?? "1e4,1e6").split(",").map(Number);
const LAYOUTS = (process.env.LAYOUTS ?? "archive,flat").split(",") as StateLayout[];
/** Megabytes: if it is given, blocks are imported again from a cold page cache, with so much memory where the system can limit it. */
const MEMORY = Number(process.env.MEMORY ?? 0);
/** Random blocks to import. */
const LOADS = [
  { transactions: 3, blocks: 1_000 },
  { transactions: 50, blocks: 200 },
];

const STATE_TABLES = ["stateNodes", "flatState", "trieNodes", "stateDiffs", "codes"];

interface Figures {
  seconds: number;
  /** Of all threads. */
  cpuSeconds: number;
  peakMegabytes: number;
  /** Of the disk; undefined where the system does not say. */
  readBytes: number | undefined;
  writtenBytes: number | undefined;
}

/** Imports blocks of random accesses to states of different sizes, each in a process of its own. */
export async function run(print: Print): Promise<void> {
  for (const [entries, layout] of SIZES.flatMap((size) => LAYOUTS.map((layout) => [size, layout] as const))) {
    await withFolder(async (folder) => {
      const state = join(folder, "state");
      await createLargeState(state, entries, layout);
      const before = await sizes(state);
      print(`${layout}, ${entries} entries: state`, sum(before) / 2 ** 20, "MB");
      for (const load of LOADS) {
        await measure(`${layout}, ${entries} entries, ${load.transactions} transactions a block`, load);
      }

      async function measure(name: string, { transactions, blocks }: (typeof LOADS)[number]): Promise<void> {
        const [file, copy] = [join(folder, `${transactions}.jsonl`), join(folder, `${transactions}`)];
        await mineRandomBlocks(state, file, { entries, blocks, transactions });
        copyDatabase(state, copy);
        const figures = JSON.parse(inProcess("import", [copy, file])) as Figures;
        const { seconds, cpuSeconds, peakMegabytes, writtenBytes } = figures;
        print(`${name}: import`, blocks / seconds, "blocks/s");
        print(`${name}: processor time`, (cpuSeconds * 1000) / blocks, "ms/block");
        print(`${name}: peak memory`, peakMegabytes, "MB");
        const after = await sizes(copy);
        const added = sum(after) - sum(before);
        print(`${name}: on disk`, added / blocks, "bytes/block");
        const stateBytes = STATE_TABLES.reduce((bytes, table) => bytes + after.get(table)! - before.get(table)!, 0);
        print(`${name}: of it, state`, stateBytes / blocks, "bytes/block");
        if (writtenBytes !== undefined) print(`${name}: written to disk`, writtenBytes / blocks, "bytes/block");
        if (MEMORY > 0) measureDiskBound(name, state, file, blocks);
        const killed = join(folder, `${transactions}-killed`);
        copyDatabase(state, killed);
        killWhenImported(killed, file, blocks + 1);
        const opening = JSON.parse(inProcess("open", [killed])) as { milliseconds: number; cpuMilliseconds: number };
        print(`${name}: opening after a kill`, opening.milliseconds, "ms");
        print(`${name}: of it, processor time`, opening.cpuMilliseconds, "ms");
      }

      function measureDiskBound(name: string, state: string, file: string, blocks: number): void {
        const limit = memoryLimit(MEMORY);
        if ("reason" in limit) console.log(`${name}: import within ${MEMORY} MB skipped: ${limit.reason}`);
        else {
          runCold(`${name}: cold cache and ${MEMORY} MB`, limit.command);
          limit.remove();
        }
        runCold(`${name}: cold cache`, []);

        function runCold(what: string, limiting: readonly string[]): void {
          const copy = join(folder, `cold-${limiting.length}-${basename(file)}`);
          copyDatabase(state, copy);
          const reason = dropFromCache(copy);
          if (reason !== undefined) {
            console.log(`${what} skipped: ${reason}`);
            return;
          }
          const { seconds, readBytes } = JSON.parse(inProcess("import", [copy, file, "cold"], limiting)) as Figures;
          print(`${what}: import`, blocks / seconds, "blocks/s");
          if (readBytes !== undefined) print(`${what}: read from disk`, readBytes / blocks, "bytes/block");
        }
      }
    });
  }
}

/** Table files never change, so that copies share them. */
function copyDatabase(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (name.endsWith(".ldb")) linkSync(join(from, name), join(to, name));
    else cpSync(join(from, name), join(to, name), { recursive: true });
  }
}

/** Runs a part of this file in a process of its own, which `limiting` starts if it is given; returns what it prints. */
function inProcess(part: keyof typeof PARTS, parameters: readonly string[], limiting: readonly string[] = []): string {
  const child = startPart(part, parameters, limiting);
  if (child.status !== 0) throw new Error(child.stderr);
  return child.stdout;
}

function startPart(part: keyof typeof PARTS, parameters: readonly string[], limiting: readonly string[] = []) {
  const script = fileURLToPath(import.meta.url);
  const [program, ...rest] = [...limiting, process.execPath, "--import=tsx", script, part, ...parameters];
  return spawnSync(program!, rest, { encoding: "utf8" });
}

/** Leaves a database whose stored trie is as far behind as it was at the last block. */
function killWhenImported(location: string, file: string, last: number): void {
  const { signal, stderr } = startPart("kill", [location, file, String(last)]);
  if (signal !== "SIGKILL") throw new Error(`not killed: ${stderr}`);
}

async function measureImport(location: string, file: string, isCold: boolean): Promise<Figures> {
  const chain = await openThreadedChain({ network: NETWORKS.local, location });
  // The newest tables have been read to verify them.
  if (isCold) dropFromCache(location);
  const [cpuBefore, before] = [process.cpuUsage(), diskBytes()];
  const { seconds, rejected } = await importFiles(chain, [file]);
  if (rejected.length > 0) throw new Error(`${rejected.length} blocks rejected`);
  await chain.close();
  const { user, system } = process.cpuUsage(cpuBefore);
  const after = diskBytes();
  return {
    seconds,
    cpuSeconds: (user + system) / 1e6,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
    readBytes: before && after && after.read - before.read,
    writtenBytes: before && after && after.written - before.written,
  };
}

/** Bytes that this process has caused to be read from and written to the disk. */
function diskBytes(): { read: number; written: number } | undefined {
  try {
    const text = readFileSync("/proc/self/io", "utf8");
    const counter = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(text)![1]);
    return { read: counter("read_bytes"), written: counter("write_bytes") };
  } catch {
    return undefined;
  }
}

/** Bytes of each table on disk. */
async function sizes(location: string): Promise<Map<string, number>> {
  const bytes = await tableSizes(location, Object.values(TABLES));
  return new Map(Object.keys(TABLES).map((name, i) => [name, bytes[i]!]));
}

function sum(sized: ReadonlyMap<string, number>): number {
  return [...sized.values()].reduce((a, b) => a + b, 0);
}

/** What processes of their own do; they print what the promise resolves to. */
const PARTS = {
  import: async (location: string, file: string, cache?: string) =>
    JSON.stringify(await measureImport(location, file, cache === "cold")),
  kill: async (location: string, file: string, last: string) => {
    const chain = await openThreadedChain({ network: NETWORKS.local, location });
    chain.on(({ header }) => {
      if (header.number === Number(last)) process.kill(process.pid, "SIGKILL");
    });
    await importFiles(chain, [file]);
    return "";
  },
  /** After modules are loaded. */
  open: async (location: string) => {
    const [started, cpuBefore] = [performance.now(), process.cpuUsage()];
    const chain = await openChain({ network: NETWORKS.local, database: await openLevelDatabase(location) });
    const milliseconds = performance.now() - started;
    const { user, system } = process.cpuUsage(cpuBefore);
    await chain.close();
    return JSON.stringify({ milliseconds, cpuMilliseconds: (user + system) / 1_000 });
  },
} as const;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [part, ...parameters] = process.argv.slice(2) as [keyof typeof PARTS, string, string, string];
  console.log(await PARTS[part](...parameters));
}
