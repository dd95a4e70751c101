import { existsSync, mkdirSync } from "node:fs";
import { type Chain, databasePath, openChain, openThreadedChain, type ThreadedChain } from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import { type Database, openLevelDatabase } from "@cambium/database";
import { CliError } from "./errors.js";

/** Opens the database in a data directory; the caller closes it. Throws {@link CliError} `NO_DATABASE`, or `DatabaseError`. */
async function openDatabase(dataDir: string, mode: "create" | "existing"): Promise<Database> {
  const path = databasePath(dataDir);
  if (mode === "existing" && !existsSync(path)) throw new CliError({ code: "NO_DATABASE", path: dataDir });
  mkdirSync(dataDir, { recursive: true });
  return openLevelDatabase(path);
}

/** Runs `use` on an existing database, and closes it in any case. */
export async function withDatabase<T>(dataDir: string, use: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(dataDir, "existing");
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

/** Runs `use` on the chain in a database, and closes both in any case. */
export async function withChain<T>(
  network: NetworkConfig,
  dataDir: string,
  mode: "create" | "existing",
  use: (chain: Chain) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(dataDir, mode);
  let chain: Chain | undefined;
  try {
    chain = await openChain({ network, database });
    return await use(chain);
  } finally {
    await (chain ?? database).close();
  }
}

/** Runs `use` on the chain in a data directory, opened or created with an import thread, and closes it in any case. */
export async function withThreadedChain<T>(
  network: NetworkConfig,
  dataDir: string,
  use: (chain: ThreadedChain) => Promise<T>,
): Promise<T> {
  mkdirSync(dataDir, { recursive: true });
  const chain = await openThreadedChain({ network, location: databasePath(dataDir) });
  try {
    return await use(chain);
  } finally {
    await chain.close();
  }
}

/** Aborted by SIGINT and SIGTERM, so that long operations stop between two blocks; a second signal exits immediately. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(1);
      controller.abort();
    });
  }
  return controller.signal;
}
