import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Folders that exist. */
const folders = new Set<string>();

/** Creates a folder that is removed by {@link removeFolder}, or when the process exits. */
export function temporaryFolder(): string {
  if (folders.size === 0) process.on("exit", removeAll);
  const folder = mkdtempSync(join(tmpdir(), "cambium-dev-"));
  folders.add(folder);
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
  if (folders.size === 0) process.off("exit", removeAll);
}

/** A test runner may end the process without stopping its chains. */
function removeAll(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
