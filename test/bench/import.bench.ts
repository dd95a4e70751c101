import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ThreadedChain } from "@cambium/chain";
import { importFiles } from "@cambium/chain-maintenance";
import { NETWORKS } from "@cambium/config";
import { longChainFiles } from "@cambium/test-utils/vectors";

type Print = (name: string, value: number, unit: string) => void;

interface Figures {
  seconds: number;
  blocksPerSecond: number;
  mgasPerSecond: number;
  processorSeconds: number;
  peakMegabytes: number;
  rejected: number;
}

/**
 * Imports like `node-cli import`, in a separate process, so that peak memory does not include that of other benchmarks.
 */
async function measure(files: readonly string[]): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "cambium-import-bench-"));
  try {
    const chain = await ThreadedChain.open({ network: NETWORKS.local, location: folder });
    const before = process.cpuUsage();
    const { seconds, blocksPerSecond, mgasPerSecond, rejected } = await importFiles(chain, files);
    await chain.close();
    const { user, system } = process.cpuUsage(before);
    const processorSeconds = (user + system) / 1e6;
    const peakMegabytes = process.resourceUsage().maxRSS / 1024;
    return { seconds, blocksPerSecond, mgasPerSecond, processorSeconds, peakMegabytes, rejected: rejected.length };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures the import of a long chain from its files to disk, with every check. */
export async function run(print: Print): Promise<void> {
  const files = longChainFiles();
  if (files === undefined) return console.log("import: long chain skipped, its vectors are outside the repository");
  const script = fileURLToPath(import.meta.url);
  const child = spawnSync(process.execPath, ["--import=tsx", script, ...(files as string[])], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(child.stderr);
  const figures = JSON.parse(child.stdout) as Figures;
  if (figures.rejected > 0) throw new Error(`${figures.rejected} blocks rejected`);
  print("long chain", figures.seconds, "s");
  print("long chain", figures.blocksPerSecond, "blocks/s");
  print("long chain", figures.mgasPerSecond, "Mgas/s");
  print("long chain, processor time", figures.processorSeconds, "s");
  print("long chain, peak memory", figures.peakMegabytes, "MB");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(JSON.stringify(await measure(process.argv.slice(2))));
}
