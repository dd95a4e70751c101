import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type RocksDB from "rocksdb-native";
import { CliError } from "../errors.js";

/** Blocks that are read ahead by the scan of a store. */
const READ_AHEAD = 64;

/**
 * The blocks in the database folder of the deployed client: the RLP of each block under its hash, in the folder `blocks` (RocksDB). It is
 * opened for reading only, so that no file in it changes. All methods reject with {@link CliError} `RSKJ_DATABASE`.
 */
export class BlockStore {
  private constructor(
    private readonly database: RocksDB,
    private readonly folder: string,
  ) {}

  /** `folder` is what the deployed client's setting `database.dir` names. */
  static async open(folder: string): Promise<BlockStore> {
    const path = requireRocksDb(folder);
    const { default: Database } = await import("rocksdb-native").catch((error: Error) => {
      const install = `npm install --prefix ${dirname(fileURLToPath(import.meta.url))} rocksdb-native@3`;
      throw databaseError(
        folder,
        `cannot load the package rocksdb-native: ${error.message}; install it with "${install}"`,
      );
    });
    const database = new Database(path, { readOnly: true, createIfMissing: false });
    await reading(folder, database.ready());
    return new BlockStore(database, folder);
  }

  /** Differs if a file of the database was added, removed or changed. */
  fingerprint(): string {
    const hash = createHash("sha256");
    const path = join(this.folder, "blocks");
    for (const name of readdirSync(path).sort()) {
      const { size, mtimeMs } = statSync(join(path, name));
      hash.update(`${name} ${size} ${mtimeMs}\n`);
    }
    return hash.digest("hex");
  }

  /** Number of blocks, as the database estimates it. */
  async estimatedCount(): Promise<number> {
    return Number(await reading(this.folder, this.database.getProperty("rocksdb.estimate-num-keys")));
  }

  /** All blocks, ordered by hash. */
  async *all(): AsyncGenerator<{ hash: Uint8Array; rlp: Uint8Array }> {
    const entries = this.database.iterator({}, { capacity: READ_AHEAD })[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await reading(this.folder, entries.next());
        if (done) return;
        yield { hash: value.key, rlp: value.value };
      }
    } finally {
      await entries.return?.();
    }
  }

  async get(hash: Uint8Array): Promise<Uint8Array | undefined> {
    return (await reading(this.folder, this.database.get(hash))) ?? undefined;
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

export function databaseError(path: string, reason: string): CliError {
  return new CliError({ code: "RSKJ_DATABASE", path, reason });
}

function reading<T>(folder: string, result: Promise<T>): Promise<T> {
  return result.catch((error: Error) => {
    throw databaseError(folder, error.message);
  });
}

/** The folder of the blocks. */
function requireRocksDb(folder: string): string {
  const path = join(folder, "blocks");
  if (!existsSync(join(path, "CURRENT"))) {
    throw databaseError(folder, "it has no blocks; name the folder of database.dir, such as ~/.rsk/mainnet/database");
  }
  // LevelDB does not write its options to a file.
  if (readdirSync(path).some((name) => name.startsWith("OPTIONS-"))) return path;
  throw databaseError(
    folder,
    "it is a LevelDB, and only RocksDB can be read; convert it with co.rsk.cli.tools.DbMigrate, or export its blocks with " +
      "co.rsk.cli.tools.ExportBlocks and import the file",
  );
}
