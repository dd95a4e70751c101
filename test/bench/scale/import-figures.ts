import { ThreadedChain } from "@cambium/chain";
import { importFiles } from "@cambium/chain-maintenance";
import { NETWORKS } from "@cambium/config";
import { dropFromCache } from "./disk-bound.js";
import { countDiskIo, type DiskIo } from "./disk-io.js";

/** Figures of an import, including all threads. */
export interface ImportFigures {
  seconds: number;
  cpuSeconds: number;
  peakMegabytes: number;
  io: DiskIo | undefined;
}

/** Initial state of the page cache. */
export type CacheStart = "warm" | "cold";

/** Imports a file of blocks into a database. */
export async function measureImport(location: string, file: string, cache: CacheStart): Promise<ImportFigures> {
  const chain = await ThreadedChain.open({ network: NETWORKS.local, location });
  // The verification has read the newest tables.
  if (cache !== "warm") dropFromCache(location);
  const [cpuBefore, io] = [process.cpuUsage(), countDiskIo()];
  const { seconds, rejected } = await importFiles(chain, [file]);
  if (rejected.length > 0) throw new Error(`${rejected.length} blocks rejected`);
  await chain.close();
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    seconds,
    cpuSeconds: (user + system) / 1e6,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
    io: io(),
  };
}
