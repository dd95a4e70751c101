import { existsSync, readFileSync } from "node:fs";
import { measurementFamilies } from "@cambium/primitives";

const COUNTERS = "/proc/self/io";

/** Input and output in bytes. */
export interface DiskIo {
  read: number;
  written: number;
  /** Size of the batches that the database received: keys, values and six bytes an entry. */
  batches: number;
}

/** Returns the input and output of this process since its start; undefined where the system does not show it. */
function diskIo(): DiskIo | undefined {
  if (!existsSync(COUNTERS)) return undefined;
  const text = readFileSync(COUNTERS, "utf8");
  const counter = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(text)![1]);
  return { read: counter("read_bytes"), written: counter("write_bytes"), batches: batchBytes() };
}

/** Starts to count. The returned function returns the number of bytes read and written since. */
export function countDiskIo(): () => DiskIo | undefined {
  const before = diskIo();
  return () => {
    const after = diskIo();
    if (before === undefined || after === undefined) return undefined;
    const { read, written, batches } = after;
    return { read: read - before.read, written: written - before.written, batches: batches - before.batches };
  };
}

function batchBytes(): number {
  const family = measurementFamilies().find(({ name }) => name === "cambium_database_written_bytes_total");
  return family!.series[0]!.values()[0]!;
}
