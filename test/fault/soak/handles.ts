import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { Inspector } from "@cambium/test-utils/processes/inspector";

/** Number of handles by kind. */
export type Handles = ReadonlyMap<string, number>;

/** Open files of a thread: its event loop needs two ends of a pipe and the others. */
const OF_A_THREAD: Handles = new Map([
  ["pipe", 2],
  ["anon_inode:[eventfd]", 1],
  ["anon_inode:[eventpoll]", 1],
]);

/**
 * Returns the resources that keep the event loop of a process alive, and its open files. Files of its database and of
 * worker threads, which start as needed, do not count.
 */
export async function handlesOf(inspector: Inspector, pid: number): Promise<Handles> {
  const active: string[] = JSON.parse(await inspector.evaluate("JSON.stringify(process.getActiveResourcesInfo())"));
  const handles = counted([...active, ...openFiles(pid)]);
  for (const [kind, count] of OF_A_THREAD) handles.set(kind, (handles.get(kind) ?? 0) - count * inspector.workerCount);
  return handles;
}

/** Returns the number of filters of a node, and of bytes in filters and subscriptions. */
export async function filtersOf(inspector: Inspector): Promise<{ filters: number; bytes: number }> {
  const [filters] = await inspector.instances("FilterRegistry", "it.size");
  const [bytes] = await inspector.instances("ClientBudget", "it.total");
  return { filters, bytes };
}

/** Returns the handles whose number has grown. */
export function added(before: Handles, after: Handles): string[] {
  const more = [...after].filter(([kind, count]) => count > (before.get(kind) ?? 0));
  return more.map(([kind, count]) => `${kind}: ${before.get(kind) ?? 0} before, ${count} after`);
}

/** Returns open files, where the system shows them. LevelDB opens and closes its tables at any time. */
function openFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  if (!existsSync(folder)) return [];
  const targets = readdirSync(folder).map((name) => {
    try {
      return readlinkSync(join(folder, name));
    } catch {
      return "closed meanwhile";
    }
  });
  return targets.filter((target) => !/\.(ldb|log)\b/.test(target)).map((target) => target.replace(/:\[\d+\]$/, ""));
}

function counted(kinds: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}
