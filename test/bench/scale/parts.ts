import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { openChain, ThreadedChain } from "@cambium/chain";
import { importFiles } from "@cambium/chain-maintenance";
import { NETWORKS } from "@cambium/config";
import { openLevelDatabase } from "@cambium/database";
import { Changes } from "./changes.js";
import { writeHistory } from "./history.js";
import { measureImport } from "./import-figures.js";
import { measureReads, type ReadMethod } from "./reads.js";

/** Tasks of separate processes, each with a fresh heap; figures include all threads. */
const PARTS = {
  import: measureImport,
  history: (location: string, entries: number, head: number) => writeHistory(location, new Changes(entries, head)),
  reads: (location: string, entries: number, head: number, method: ReadMethod, depth: number) =>
    measureReads(location, new Changes(entries, head), method, depth),
  /** Ends when a block is imported. */
  kill: async (location: string, file: string, last: number) => {
    const chain = await ThreadedChain.open({ network: NETWORKS.local, location });
    chain.on(({ header }) => {
      if (header.number === last) process.kill(process.pid, "SIGKILL");
    });
    await importFiles(chain, [file]);
  },
  /** Time to open, after modules are loaded. */
  open: async (location: string) => {
    const [started, cpuBefore] = [performance.now(), process.cpuUsage()];
    const chain = await openChain({ network: NETWORKS.local, database: await openLevelDatabase(location) });
    const milliseconds = performance.now() - started;
    const { user, system } = process.cpuUsage(cpuBefore);
    await chain.close();
    return { milliseconds, cpuMilliseconds: (user + system) / 1_000 };
  },
} as const;

type Parts = typeof PARTS;
type Figures<Part extends keyof Parts> = Awaited<ReturnType<Parts[Part]>>;

/** Runs a part in a separate process, started by `limiting` if present. */
export function inProcess<Part extends keyof Parts>(
  part: Part,
  parameters: Parameters<Parts[Part]>,
  limiting: readonly string[] = [],
): Figures<Part> {
  const { status, signal, stdout, stderr } = startPart(part, parameters, limiting);
  if (status !== 0) throw new Error(`${part} ended with ${signal ?? status}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Leaves a database whose stored trie is as old as it was at the last block. */
export function killWhenImported(location: string, file: string, last: number): void {
  const { signal, stderr } = startPart("kill", [location, file, last]);
  if (signal !== "SIGKILL") throw new Error(`not killed: ${stderr}`);
}

function startPart<Part extends keyof Parts>(
  part: Part,
  parameters: Parameters<Parts[Part]>,
  limiting: readonly string[] = [],
): SpawnSyncReturns<string> {
  const script = fileURLToPath(import.meta.url);
  const own = [process.execPath, "--import=tsx", script, part, JSON.stringify(parameters)];
  const [program, ...rest] = [...limiting, ...own];
  return spawnSync(program!, rest, { encoding: "utf8" });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [part, parameters] = process.argv.slice(2) as [keyof Parts, string];
  const run = PARTS[part] as (...parameters: unknown[]) => Promise<unknown>;
  console.log(JSON.stringify((await run(...JSON.parse(parameters))) ?? null));
}
