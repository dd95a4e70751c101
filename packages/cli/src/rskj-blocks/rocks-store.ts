import { EMPTY_BYTES } from "@cambium/primitives";
import type RocksDB from "rocksdb-native";
import { type BlockPlace, type BlockStore, databaseError } from "./block-store.js";

/** Blocks that are read ahead by a scan. */
const READ_AHEAD = 64;

/** A store in RocksDB, opened for reading only. */
export class RocksStore implements BlockStore {
  fractionRead = 0;

  private constructor(
    private readonly database: RocksDB,
    private readonly path: string,
  ) {}

  static async open(path: string): Promise<RocksStore> {
    const { default: Database } = await import("rocksdb-native").catch((error: Error) => {
      const reason = error.message.split("\n")[0];
      const install = `npm install --no-save --no-package-lock --prefix ${import.meta.dirname} rocksdb-native@3`;
      throw databaseError(path, `cannot load the package rocksdb-native: ${reason}; install it with "${install}"`);
    });
    const database = new Database(path, { readOnly: true, createIfMissing: false });
    await reading(path, database.ready());
    return new RocksStore(database, path);
  }

  async *all(): AsyncGenerator<{ place: BlockPlace; rlp: Uint8Array }> {
    const total = Number(await reading(this.path, this.database.getProperty("rocksdb.estimate-num-keys")));
    const entries = this.database.iterator({}, { capacity: READ_AHEAD })[Symbol.asyncIterator]();
    try {
      for (let count = 1; ; count++) {
        const { done, value } = await reading(this.path, entries.next());
        if (done) return;
        this.fractionRead = Math.min(count / total, 1);
        yield { place: { hash: value.key, size: value.value.length, position: EMPTY_BYTES }, rlp: value.value };
      }
    } finally {
      await entries.return?.();
    }
  }

  async get({ hash }: BlockPlace): Promise<Uint8Array | undefined> {
    return (await reading(this.path, this.database.get(hash))) ?? undefined;
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

function reading<T>(path: string, result: Promise<T>): Promise<T> {
  return result.catch((error: Error) => {
    throw databaseError(path, error.message);
  });
}
