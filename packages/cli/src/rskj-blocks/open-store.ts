import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type BlockStore, databaseError } from "./block-store.js";
import { LevelStore } from "./level-store.js";
import { RocksStore } from "./rocks-store.js";

/** Opens the store in `folder`, the value of the deployed client's setting `database.dir`. */
export async function openBlockStore(folder: string): Promise<BlockStore> {
  const path = join(folder, "blocks");
  if (!existsSync(join(path, "CURRENT"))) {
    throw databaseError(folder, "it has no blocks; name the folder of database.dir, such as ~/.rsk/mainnet/database");
  }
  // Only RocksDB writes its options to a file.
  if (!readdirSync(path).some((name) => name.startsWith("OPTIONS-"))) return new LevelStore(path);
  return RocksStore.open(path);
}
