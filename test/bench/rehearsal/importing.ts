import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ThreadedChain } from "@cambium/chain";
import { importFiles } from "@cambium/chain-maintenance";
import { measurementFamilies } from "@cambium/primitives";
import { type Figures, processFigures, STAGES, THREADS } from "./figures.js";
import { HISTORY, rehearsalNetwork } from "./network.js";

/** Imports a file into a database like `node-cli import`, in a separate process. */
export function importChain(location: string, file: string): Figures {
  const script = fileURLToPath(import.meta.url);
  const child = spawnSync(process.execPath, ["--import=tsx", script, location, file], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout);
}

async function measure(location: string, file: string): Promise<Figures> {
  const chain = await ThreadedChain.open({
    network: rehearsalNetwork(),
    location,
    flatState: { history: HISTORY },
  });
  const [cpuBefore, before] = [process.cpuUsage(), processFigures("self")];
  const { seconds, imported, rejected } = await importFiles(chain, [file]);
  if (rejected.length > 0) throw new Error(`${rejected.length} blocks rejected: ${rejected[0]!.reason}`);
  const times = { stages: measured(STAGES), threads: measured(THREADS) };
  await chain.close();
  const { user, system } = process.cpuUsage(cpuBefore);
  const { peakMegabytes, written } = processFigures("self");
  const cpuSeconds = (user + system) / 1e6;
  return { blocks: imported, seconds, cpuSeconds, peakMegabytes, written: written - before.written, ...times };
}

/** Returns the sums or values of a measurement by its label. */
function measured({ name, label }: typeof STAGES | typeof THREADS): Record<string, number> {
  const { kind, series } = measurementFamilies().find((family) => family.name === name)!;
  const total = (one: (typeof series)[number]) => (kind === "histogram" ? one.sum() : one.values()[0]!);
  return Object.fromEntries(series.map((one) => [one.labels[label]!, total(one)]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(JSON.stringify(await measure(process.argv[2]!, process.argv[3]!)));
  process.exit(0);
}
