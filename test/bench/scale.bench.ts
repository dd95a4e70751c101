import { spawnSync } from "node:child_process";
import { cpSync, linkSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { importFiles, openChain, openThreadedChain, type StateLayout, TABLES } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { openLevelDatabase, tableSizes } from "@cambium/database";
import { withFolder } from "@cambium/test-utils/node-cli";
import { createLargeState } from "./scale/large-state.js";
import { mineRandomBlocks } from "./scale/random-blocks.js";

type Print = (name: string, value: number, unit: string) => void;

/** Accounts and cells of the states, separated by commas. */
const SIZES = (process.env.SCALE ?? "1e4,1e6").split(",").map(Number);
const LAYOUTS = (process.env.LAYOUTS ?? "archive,flat").split(",") as StateLayout[];
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
  /** Undefined where the system does not say. */
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
        const { seconds, cpuSeconds, peakMegabytes, writtenBytes } = JSON.parse(
          inProcess("import", copy, file),
        ) as Figures;
        print(`${name}: import`, blocks / seconds, "blocks/s");
        print(`${name}: processor time`, (cpuSeconds * 1000) / blocks, "ms/block");
        print(`${name}: peak memory`, peakMegabytes, "MB");
        const after = await sizes(copy);
        const added = sum(after) - sum(before);
        print(`${name}: on disk`, added / blocks, "bytes/block");
        const stateBytes = STATE_TABLES.reduce((bytes, table) => bytes + after.get(table)! - before.get(table)!, 0);
        print(`${name}: of it, state`, stateBytes / blocks, "bytes/block");
        if (writtenBytes !== undefined) print(`${name}: written to disk`, writtenBytes / blocks, "bytes/block");
        const killed = join(folder, `${transactions}-killed`);
        copyDatabase(state, killed);
        killWhenImported(killed, file, blocks + 1);
        print(`${name}: opening after a kill`, Number(inProcess("open", killed)), "ms");
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

/** Runs a part of this file in a process of its own; returns what it prints. */
function inProcess(part: keyof typeof PARTS, ...parameters: string[]): string {
  const child = startPart(part, ...parameters);
  if (child.status !== 0) throw new Error(child.stderr);
  return child.stdout;
}

function startPart(part: keyof typeof PARTS, ...parameters: string[]) {
  const script = fileURLToPath(import.meta.url);
  return spawnSync(process.execPath, ["--import=tsx", script, part, ...parameters], { encoding: "utf8" });
}

/** Leaves a database whose stored trie is as far behind as it was at the last block. */
function killWhenImported(location: string, file: string, last: number): void {
  const { signal, stderr } = startPart("kill", location, file, String(last));
  if (signal !== "SIGKILL") throw new Error(`not killed: ${stderr}`);
}

async function measureImport(location: string, file: string): Promise<Figures> {
  const chain = await openThreadedChain({ network: NETWORKS.local, location });
  const [cpuBefore, written] = [process.cpuUsage(), writtenBytes()];
  const { seconds, rejected } = await importFiles(chain, [file]);
  if (rejected.length > 0) throw new Error(`${rejected.length} blocks rejected`);
  await chain.close();
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    seconds,
    cpuSeconds: (user + system) / 1e6,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
    writtenBytes: written === undefined ? undefined : writtenBytes()! - written,
  };
}

/** Bytes that this process has caused to be written to the disk. */
function writtenBytes(): number | undefined {
  try {
    return Number(/^write_bytes: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))![1]);
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
  import: async (location: string, file: string) => JSON.stringify(await measureImport(location, file)),
  kill: async (location: string, file: string, last: string) => {
    const chain = await openThreadedChain({ network: NETWORKS.local, location });
    chain.on(({ header }) => {
      if (header.number === Number(last)) process.kill(process.pid, "SIGKILL");
    });
    await importFiles(chain, [file]);
    return "";
  },
  /** Milliseconds, without loading modules. */
  open: async (location: string) => {
    const started = performance.now();
    const chain = await openChain({ network: NETWORKS.local, database: await openLevelDatabase(location) });
    const milliseconds = performance.now() - started;
    await chain.close();
    return String(milliseconds);
  },
} as const;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [part, ...parameters] = process.argv.slice(2) as [keyof typeof PARTS, string, string, string];
  console.log(await PARTS[part](...parameters));
}
