import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { TABLES } from "@cambium/chain-store";
import type { GenesisAccount } from "@cambium/config";
import { compactTables } from "@cambium/database";
import { createLargeState } from "../scale/large-state.js";
import { addressAt, cellAt, DELEGATING_CODE } from "./cold-state.js";
import { mainOfToday } from "./network.js";

// Creates the database in a separate process: otherwise the remaining memory, and the background work of LevelDB, would
// be measured.

/** Message to the process. */
interface Order {
  location: string;
  entries: number;
  accounts: readonly GenesisAccount[];
}

/** Creates a database whose block 1 has this number of entries, in addition to these accounts. */
export async function createState(order: Order): Promise<void> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), [], { serialization: "advanced" });
  child.send(order);
  const [status] = await once(child, "exit");
  if (status !== 0) throw new Error(`the state was not created: ${status}`);
}

async function create({ location, entries, accounts }: Order): Promise<void> {
  const network = mainOfToday(accounts);
  await createLargeState(location, entries, "flat", { network, code: DELEGATING_CODE, addressAt, cellAt });
  await compactTables(location, Object.values(TABLES));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.once("message", async (order: Order) => {
    await create(order);
    process.exit();
  });
}
