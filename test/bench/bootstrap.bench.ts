import { statSync } from "node:fs";
import { join } from "node:path";
import { openReader } from "@cambium/chain";
import { exportPublishedState, installPublishedState, openArchive } from "@cambium/chain-maintenance";
import { openLevelDatabase } from "@cambium/database";
import { withFolder } from "@cambium/test-utils/node-cli";
import { rehearsalNetwork } from "./rehearsal/network.js";
import { createLargeState } from "./scale/large-state.js";

type Print = (name: string, value: number, unit: string) => void;

const ENTRIES = 1_000_000;

/**
 * Exports a large state as an archive of published state, and installs it (docs/published-state.md). `--entries` is the
 * number of accounts and cells.
 */
export async function run(print: Print, { entries = ENTRIES }: { entries?: number | string } = {}): Promise<void> {
  await withFolder(async (folder) => {
    const network = rehearsalNetwork();
    const from = join(folder, "from");
    const archive = join(folder, "bootstrap-data.zip");
    console.log(`bootstrap: creating a state of ${entries} entries`);
    await createLargeState(from, Number(entries), "flat", { network });
    await measured(print, "export", async () => {
      const database = await openLevelDatabase(from);
      await exportPublishedState(openReader({ network, database }), archive);
      await database.close();
    });
    print("archive", statSync(archive).size / Number(entries), "bytes/entry");
    await measured(print, "installation", async () => {
      const database = await openLevelDatabase(join(folder, "to"), { create: true });
      await installPublishedState(await openArchive(archive), { network, database, folder });
      await database.close();
    });
  });
}

async function measured(print: Print, name: string, work: () => Promise<void>): Promise<void> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  print(name, (performance.now() - start) / 1_000, "s");
  print(`${name}, processor time`, (user + system) / 1e6, "s");
  print(`${name}, peak memory so far`, process.resourceUsage().maxRSS / 1_024, "MB");
}
