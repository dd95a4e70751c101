import { statfsSync } from "node:fs";
import { getHeapStatistics } from "node:v8";
import type { NodeStatus } from "@cambium/api";
import type { StoredChainReader } from "@cambium/chain";
import { trustText } from "@cambium/chain-store";
import { measurementFamilies } from "@cambium/primitives";

/** Returns the result of `debug_nodeStatus`. */
export function readStatus(dataDir: string, chain: Pick<StoredChainReader, "trust">): NodeStatus {
  const { used_heap_size: heapUsed, heap_size_limit: heapLimit } = getHeapStatistics();
  return {
    uptime: Math.floor(process.uptime()),
    memory: { resident: process.memoryUsage.rss(), available: process.availableMemory(), heapUsed, heapLimit },
    disk: readDisk(dataDir),
    submissions: { accepted: submissions("accepted"), refused: submissions("refused") },
    trust: trustText(chain.trust()),
  };
}

function readDisk(folder: string): NodeStatus["disk"] {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    return { free: bavail * bsize, size: blocks * bsize };
  } catch {
    return null;
  }
}

function submissions(result: string): number {
  const family = measurementFamilies().find(({ name }) => name === "cambium_mining_submissions_total");
  const series = family?.series.find(({ labels }) => labels.result === result);
  return series?.values()[0] ?? 0;
}
