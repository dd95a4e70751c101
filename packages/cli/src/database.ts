import type { Chain, StoredChainReader, ThreadedChain } from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import type { Database } from "@cambium/database";
import type { StateOptions } from "@cambium/node/options";
import { makeDataFolder, writePrivately } from "./private-files.js";

// Commands load the chain and the database only when they open one, so that help and errors of options appear without
// delay.

/** Opens the database in a data directory; the caller closes it. Rejects with `DatabaseError`. */
async function openDatabase(dataDir: string, options: OpenOptions = {}): Promise<Database> {
  const { databasePath, openLevelDatabase } = await import("@cambium/database");
  writePrivately(dataDir);
  return openLevelDatabase(databasePath(dataDir), options);
}

interface OpenOptions {
  verify?: "newest" | "all";
  create?: boolean;
}

/** Runs `use` on an existing database, and closes it in any case. */
export async function withDatabase<T>(
  dataDir: string,
  use: (database: Database) => Promise<T>,
  options?: OpenOptions,
): Promise<T> {
  const database = await openDatabase(dataDir, options);
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

/** {@link withDatabase} for a database that may not exist yet. */
export async function withNewDatabase<T>(dataDir: string, use: (database: Database) => Promise<T>): Promise<T> {
  makeDataFolder(dataDir);
  return withDatabase(dataDir, use, { create: true });
}

/** Runs `use` on a reader of the chain in an existing database, and closes the database in any case. */
export async function withReader<T>(
  network: NetworkConfig,
  dataDir: string,
  use: (chain: StoredChainReader) => Promise<T>,
): Promise<T> {
  const { openReader } = await import("@cambium/chain");
  return withDatabase(dataDir, async (database) => use(openReader({ network, database })));
}

/** Runs `use` on the chain in an existing database, and closes both in any case. */
export async function withChain<T>(
  network: NetworkConfig,
  dataDir: string,
  use: (chain: Chain) => Promise<T>,
): Promise<T> {
  const { openChain, openReader } = await import("@cambium/chain");
  const database = await openDatabase(dataDir);
  let chain: Chain | undefined;
  try {
    // Unlike a chain, a reader does not add the genesis block to an empty database.
    openReader({ network, database });
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
  { layout: stateLayout, history, blocks }: StateOptions,
  use: (chain: ThreadedChain) => Promise<T>,
): Promise<T> {
  const { databasePath } = await import("@cambium/database");
  const { ThreadedChain } = await import("@cambium/chain");
  makeDataFolder(dataDir);
  const location = databasePath(dataDir);
  const kept = { flatState: { history }, blockHistory: { blocks } };
  const chain = await ThreadedChain.open({ network, location, stateLayout, ...kept });
  try {
    return await use(chain);
  } finally {
    await chain.close();
  }
}
