import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Overwrites bytes of the largest file of a database that no process has open: in its middle, or around `position`.
 * Damage in the last 32 KiB of a log may look like a truncated write.
 */
export function damageLargestFile(location: string, position?: number): void {
  const files = readdirSync(location).filter((name) => /\.(log|ldb)$/.test(name));
  const [largest] = files.map((name) => join(location, name)).toSorted((a, b) => statSync(b).size - statSync(a).size);
  const bytes = readFileSync(largest!);
  const middle = position ?? Math.floor(bytes.length / 2);
  bytes.fill(0xff, middle - 100, middle + 100);
  writeFileSync(largest!, bytes);
}
