import { existsSync, mkdirSync } from "node:fs";
import type { Chain, ThreadedChain } from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import type { Database } from "@cambium/database";
import { CliError } from "./errors.js";

// The chain and the database load when a command opens one: help and errors of options come without delay.

/** Opens the database in a data directory; the caller closes it. Throws {@link CliError} `NO_DATABASE`, or `DatabaseError`. */
async function openDatabase(dataDir: string, mode: "create" | "existing"): Promise<Database> {
  const { databasePath } = await import("@cambium/chain");
  const { openLevelDatabase } = await import("@cambium/database");
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
  const { openChain } = await import("@cambium/chain");
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
  const { databasePath, openThreadedChain } = await import("@cambium/chain");
  mkdirSync(dataDir, { recursive: true });
  const chain = await openThreadedChain({ network, location: databasePath(dataDir) });
  try {
    return await use(chain);
  } finally {
    await chain.close();
  }
}
