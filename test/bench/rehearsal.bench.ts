import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { TABLES } from "@cambium/chain-store";
import { compactTables, databasePath } from "@cambium/database";
import { withFolder } from "@cambium/test-utils/node-cli";
import { makeChain } from "./rehearsal/chain-maker.js";
import { CONTRACT } from "./rehearsal/contract.js";
import type { Figures } from "./rehearsal/figures.js";
import { importChain } from "./rehearsal/importing.js";
import { rehearsalNetwork } from "./rehearsal/network.js";
import { synchronise } from "./rehearsal/synchronising.js";
import { copyDatabase, sizes, sum } from "./scale/database-files.js";
import { createLargeState } from "./scale/large-state.js";

type Print = (name: string, value: number, unit: string) => void;

/** Settings as the command line has them. */
interface Settings {
  blocks?: string;
  /** Number of accounts and cells of the state on which the blocks are mined. */
  entries?: string;
  /** Folder for state and chain, which are reused, even half a chain; by default a new one, which is removed. */
  folder?: string;
}

const [BLOCKS, ENTRIES] = [20_000, 1_000_000];
/** Number of nodes that another one synchronises from: each serves 180 bodies a second. */
const SOURCES = 3;
/** Number of blocks between two lines about progress. */
const PROGRESS = 5_000;

/**
 * Rehearses main: mines a chain with its statistics on a private network with its rules, imports it, and synchronises
 * it from other nodes over libp2p (docs/sizing.md).
 */
export async function run(print: Print, { blocks, entries, folder }: Settings = {}): Promise<void> {
  const rehearsal = (used: string) => rehearse(print, used, Number(blocks ?? BLOCKS), Number(entries ?? ENTRIES));
  await (folder === undefined ? withFolder(rehearsal) : rehearsal(folder));
}

async function rehearse(print: Print, folder: string, blocks: number, entries: number): Promise<void> {
  const state = join(folder, `state-${entries}`);
  const chain = join(folder, `blocks-${blocks}-on-${entries}.txt`);
  if (!existsSync(state)) await makeState(state, entries);
  if (!existsSync(chain)) await mine(folder, state, chain, { blocks, entries });
  const imported = freshCopy(state, join(folder, "imported"));
  const figures = importChain(databasePath(imported), chain);
  printFigures(print, "import", figures);
  await printDisk(print, state, databasePath(imported), blocks);
  const to = freshCopy(state, join(folder, "synchronised"));
  const from = Array.from({ length: SOURCES }, (_, i) =>
    freshCopy(databasePath(imported), join(folder, `source-${i}`)),
  );
  const { servingCpuSeconds, ...synchronised } = await synchronise(from, to, blocks + 1);
  printFigures(print, "synchronisation", synchronised);
  print("synchronisation: processor time of the other nodes", (servingCpuSeconds * 1_000) / blocks, "ms/block");
  print("synchronisation: speed of an import", figures.seconds / synchronised.seconds, "");
}

async function makeState(location: string, entries: number): Promise<void> {
  console.log(`rehearsal: creating a state of ${entries} entries`);
  await createLargeState(location, entries, "flat", { network: rehearsalNetwork(), code: CONTRACT });
  await compactTables(location, Object.values(TABLES));
}

async function mine(
  folder: string,
  state: string,
  chain: string,
  { blocks, entries }: { blocks: number; entries: number },
): Promise<void> {
  const miner = join(folder, "miner");
  if (!existsSync(miner)) freshCopy(state, miner);
  const started = performance.now();
  const onProgress = (mined: number) => {
    if (mined % PROGRESS !== 0) return;
    const seconds = Math.round((performance.now() - started) / 1_000);
    console.log(`rehearsal: mined ${mined} of ${blocks} blocks, after ${seconds} s`);
  };
  await makeChain(databasePath(miner), chain, { network: rehearsalNetwork(), entries, blocks, onProgress });
  rmSync(miner, { recursive: true });
}

/** Returns a data folder with a copy of a database. */
function freshCopy(database: string, dataDir: string): string {
  rmSync(dataDir, { recursive: true, force: true });
  copyDatabase(database, databasePath(dataDir));
  return dataDir;
}

function printFigures(print: Print, way: string, figures: Figures): void {
  const { blocks, seconds, cpuSeconds, peakMegabytes, written, stages, threads } = figures;
  const perBlock = (name: string, value: number) => print(`${way}: ${name}`, (value * 1_000) / blocks, "ms/block");
  print(way, blocks / seconds, "blocks/s");
  perBlock("processor time", cpuSeconds);
  for (const [stage, time] of Object.entries(stages)) perBlock(`stage ${stage}`, time);
  for (const [thread, time] of Object.entries(threads)) if (time > 0) perBlock(`thread ${thread}`, time);
  print(`${way}: peak memory`, peakMegabytes, "MB");
  print(`${way}: written to disk`, written / blocks, "bytes/block");
}

/** Prints what the blocks have added to the tables, before and after replaced values are dropped. */
async function printDisk(print: Print, state: string, location: string, blocks: number): Promise<void> {
  const before = await sizes(state);
  print("on disk", (sum(await sizes(location)) - sum(before)) / blocks, "bytes/block");
  await compactTables(location, Object.values(TABLES));
  const after = await sizes(location);
  print("on disk, compacted", (sum(after) - sum(before)) / blocks, "bytes/block");
  for (const [table, bytes] of after) {
    const added = bytes - before.get(table)!;
    if (added !== 0) print(`on disk, compacted: ${table}`, added / blocks, "bytes/block");
  }
}
