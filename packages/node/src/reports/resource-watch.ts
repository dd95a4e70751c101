import { statfsSync } from "node:fs";
import { getHeapStatistics } from "node:v8";
import { type Clock, platformClock } from "@cambium/primitives";
import type { Logger } from "pino";

/** Milliseconds between two checks, and between two warnings of one kind. */
const INTERVAL = 60_000;
const REPEAT = 3_600_000;
/** Free space on the disk below which the node warns, in bytes. */
const LEAST_DISK = 2 * 2 ** 30;
const LEAST_MEMORY = 256 * 2 ** 20;
/** Share of the maximum heap size. */
const FULL_HEAP = 0.9;

/** Resources that the node needs to continue, in bytes. */
export interface Resources {
  diskFree: number;
  memoryFree: number;
  heapUsed: number;
  heapLimit: number;
}

type Kind = "disk" | "memory" | "heap";

/**
 * Warns of a disk or memory that is nearly full, immediately and then every hour. Returns a function that ends the
 * watch.
 */
export function watchResources(
  dataDir: string,
  logger: Logger,
  clock: Clock = platformClock,
  read: (dataDir: string) => Resources = readResources,
): () => void {
  const warned = new Map<Kind, number>();
  const look = () => {
    const found = read(dataDir);
    for (const [kind, text] of Object.entries(shortages(dataDir, found)) as [Kind, string | undefined][]) {
      if (text === undefined) warned.delete(kind);
      else if (clock.now() - (warned.get(kind) ?? Number.NEGATIVE_INFINITY) >= REPEAT) {
        warned.set(kind, clock.now());
        logger.warn({ resources: found }, text);
      }
    }
  };
  look();
  return clock.every(INTERVAL, look);
}

function shortages(
  dataDir: string,
  { diskFree, memoryFree, heapUsed, heapLimit }: Resources,
): Record<Kind, string | undefined> {
  return {
    disk:
      diskFree < LEAST_DISK
        ? `Little disk space: ${gigabytes(diskFree)} GB free in ${dataDir}. The node stops when a write fails; make room, or move the folder and name it with --data-dir`
        : undefined,
    memory:
      memoryFree < LEAST_MEMORY
        ? `Little memory: ${gigabytes(memoryFree)} GB available to this process. The system may end the node; end other programs, or lower --p2p.max-peers and --rpc.readers`
        : undefined,
    heap:
      heapUsed > heapLimit * FULL_HEAP
        ? `The heap is nearly full: ${gigabytes(heapUsed)} of ${gigabytes(heapLimit)} GB. Raise it with NODE_OPTIONS=--max-old-space-size=<megabytes>`
        : undefined,
  };
}

function readResources(dataDir: string): Resources {
  const { used_heap_size: heapUsed, heap_size_limit: heapLimit } = getHeapStatistics();
  return { diskFree: diskFree(dataDir), memoryFree: process.availableMemory(), heapUsed, heapLimit };
}

/** Returns the free space in bytes; unknown counts as plenty. */
function diskFree(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(1);
}
